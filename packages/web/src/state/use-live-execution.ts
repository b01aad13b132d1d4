import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { executionQuery } from '../api/executions.ts';
import { live } from '../api/live.ts';

/** The detail is read again at most this often while events arrive: each answer contains the logs of all steps. */
const pauseMs = 300;

/** Reads an execution again when events report that it changed. */
export function useLiveExecution(id: string): void {
  const cache = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const { queryKey } = executionQuery(id);
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        void cache.invalidateQueries({ queryKey });
      }, pauseMs);
    };
    const unsubscribe = live.subscribe(`execution:${id}`, {
      event: ({ type }) => {
        if (type !== 'token') refresh();
      },
      gap: refresh,
      rejected: refresh,
    });
    return () => {
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    };
  }, [cache, id]);
}
