import { type ErrorCode, errorTable, Problem } from '@millrace/core';
import type { Logger } from 'pino';
import type { CancelTimer, Clock, Timers } from '../../ground/clock.ts';

/** A start that was rejected. It contains nothing from the payload. */
export interface StartAttempt {
  /** The slug of a workflow that exists. */
  readonly workflow: string;
  readonly trigger: 'webhook' | 'chat' | 'chat_bot' | 'manual' | 'schedule' | 'mcp' | 'retry' | 'replay';
  /** The trigger node, if it is known. */
  readonly nodeId?: string;
  /** The execution to retry or to replay. */
  readonly executionId?: string;
}

/** Logs starts that are rejected, at most one line per workflow, trigger and code in a minute. */
export interface RejectedStarts {
  /** Logs a rejected start. */
  report(start: StartAttempt, code: ErrorCode): void;
  /** Calls `act`, and logs the problem that it throws. */
  watch<T>(start: StartAttempt, act: () => Promise<T>): Promise<T>;
  /** Logs the counts that are still open. */
  close(): void;
}

interface RejectedStartsPorts {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'after'>;
}

/** The time from a line to the next one about the same workflow, trigger and code. */
const intervalMs = 60_000;

/** Entries in memory at most, some megabytes; beyond it the oldest is closed early. */
const maxEntries = 10_000;

/** The rejections of one workflow, trigger and code since the last line about them. */
interface Entry {
  readonly until: number;
  readonly code: ErrorCode;
  latest: StartAttempt;
  count: number;
  cancel: CancelTimer | null;
}

export function createRejectedStarts({ log, clock, timers }: RejectedStartsPorts): RejectedStarts {
  /** The oldest first. */
  const entries = new Map<string, Entry>();

  function write(start: StartAttempt, code: ErrorCode, count: number): void {
    const level = isForOperator(start, code) ? 'warn' : 'info';
    log[level]({ ...start, code, count }, 'start rejected');
  }

  /** Writes a line and begins the interval in which no other line of this kind follows. */
  function writeFirst(key: string, start: StartAttempt, code: ErrorCode, count: number): void {
    write(start, code, count);
    const [oldest] = entries.keys();
    if (entries.size >= maxEntries && oldest !== undefined) end(oldest);
    entries.set(key, { until: clock.monotonic() + intervalMs, code, latest: start, count: 0, cancel: null });
  }

  /** Removes an entry and logs its count. */
  function end(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    entry.cancel?.();
    if (entry.count > 0) write(entry.latest, entry.code, entry.count);
  }

  function report(start: StartAttempt, code: ErrorCode): void {
    const key = `${start.workflow} ${start.trigger} ${code}`;
    const entry = entries.get(key);
    const leftMs = entry === undefined ? 0 : entry.until - clock.monotonic();
    if (entry === undefined || leftMs <= 0) {
      // Its timer may be late: then this line contains the count.
      entry?.cancel?.();
      entries.delete(key);
      writeFirst(key, start, code, (entry?.count ?? 0) + 1);
      return;
    }
    entry.latest = start;
    entry.count += 1;
    entry.cancel ??= timers.after(leftMs, () => {
      entries.delete(key);
      writeFirst(key, entry.latest, code, entry.count);
    });
  }

  return {
    report,
    async watch(start, act) {
      try {
        return await act();
      } catch (error) {
        if (error instanceof Problem) report(start, error.code);
        throw error;
      }
    },
    close() {
      for (const key of entries.keys()) end(key);
    },
  };
}

/** True if no caller sees the rejection, or if the caller cannot avoid it. */
function isForOperator({ trigger }: StartAttempt, code: ErrorCode): boolean {
  return trigger === 'schedule' || trigger === 'chat_bot' || errorTable[code].kind === 'unavailable';
}
