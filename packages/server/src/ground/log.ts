import { Problem } from '@millrace/core';
import { type Logger, pino } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';

/** The service's log: JSON lines on standard error. Standard output is for messages to people. */
export function createLog(level: Config['logLevel']): Logger {
  return createLogTo(pino.destination({ dest: 2, sync: false }), level, systemClock);
}

/** The log on any destination. */
export function createLogTo(
  destination: pino.DestinationStream,
  level: Config['logLevel'],
  clock: Pick<Clock, 'monotonic'>,
): Logger {
  const limit = new StorageLimit(clock);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method) {
          const suppressed = limit.take(args[0]);
          if (suppressed === 0) method.apply(this, args);
          else if (suppressed !== null)
            method.apply(this, [{ ...Object(args[0]), suppressed }, ...args.slice(1)] as typeof args);
        },
      },
    },
    destination,
  );
}

/** A full disk fails every write of the service: one line a minute says so, or the log would fill the disk further. */
const storageLineEveryMs = 60_000;

/** Limits the lines about a database that cannot be used. */
class StorageLimit {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #lastAt = Number.NEGATIVE_INFINITY;
  #suppressed = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Null for a line that is not written; otherwise the number of lines that were not written before it. */
  take(details: unknown): number | null {
    if (!isAboutStorage(details)) return 0;
    if (this.#clock.monotonic() - this.#lastAt < storageLineEveryMs) {
      this.#suppressed += 1;
      return null;
    }
    const suppressed = this.#suppressed;
    this.#lastAt = this.#clock.monotonic();
    this.#suppressed = 0;
    return suppressed;
  }
}

function isAboutStorage(details: unknown): boolean {
  if (typeof details !== 'object' || details === null || !('err' in details)) return false;
  return details.err instanceof Problem && details.err.code === 'store_unavailable';
}
