import type { LiveMessage } from '@millrace/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { executionQuery } from '../api/executions.ts';
import { live } from '../api/live.ts';

/** An attempt that events have reported and that is still in progress: the service logs it when it ends. */
export interface RunningAttempt {
  readonly node_id: string;
  readonly frame: string;
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The detail is read again at most this often while events arrive: each answer contains the logs of all steps. */
const pauseMs = 300;
/** A detail of thousands of steps is read less often, so that reading takes a small part of the time. */
const pausePerLogMs = 1;

/** Reads an execution again when events report that it changed. Returns the attempts in progress. */
export function useLiveExecution(id: string): readonly RunningAttempt[] {
  const cache = useQueryClient();
  const [running, setRunning] = useState<ReadonlyMap<string, RunningAttempt>>(new Map());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let attempts: ReadonlyMap<string, RunningAttempt> = new Map();
    const { queryKey } = executionQuery(id);
    const refresh = (): void => {
      const logs = cache.getQueryData(queryKey)?.logs.length ?? 0;
      timer ??= setTimeout(
        () => {
          timer = null;
          setRunning(attempts);
          void cache.invalidateQueries({ queryKey });
        },
        pauseMs + logs * pausePerLogMs,
      );
    };
    const unsubscribe = live.subscribe(`execution:${id}`, {
      event: (message) => {
        if (message.type === 'token') return;
        attempts = withMessage(attempts, message);
        refresh();
      },
      gap: refresh,
      rejected: refresh,
    });
    return () => {
      unsubscribe();
      setRunning(new Map());
      if (timer === null) return;
      clearTimeout(timer);
      // The next part of a page that shows the execution reads what was to be read again.
      void cache.invalidateQueries({ queryKey });
    };
  }, [cache, id]);
  return [...running.values()];
}

/** The attempts in progress after an event. */
function withMessage(
  attempts: ReadonlyMap<string, RunningAttempt>,
  { type, data, timestamp }: LiveMessage,
): ReadonlyMap<string, RunningAttempt> {
  if (type !== 'node_status') return type.startsWith('execution_') ? new Map() : attempts;
  const { node_id: nodeId, frame, attempt, status } = data;
  const changed = new Map(attempts);
  const key = `${String(frame)} ${String(nodeId)}`;
  if (status !== 'running') changed.delete(key);
  else {
    changed.set(key, {
      node_id: String(nodeId),
      frame: String(frame ?? ''),
      attempt: Number(attempt ?? 1),
      since: timestamp * 1000,
    });
  }
  return changed;
}
