import { Worker } from 'node:worker_threads';
import { busyTimeoutMs, type Connection } from './connection.ts';

/** Copies the contents of the log into the database file, so that the log can restart and stays small. */
export interface Checkpoints {
  /** Called after each commit. */
  committed(): void;
  /** While this is a promise, nothing may be written; it resolves when writing may continue. */
  readonly pause: Promise<void> | null;
  /** Resolves when no pass is in progress. */
  close(): Promise<void>;
}

/** The parameters of the thread. */
export interface CheckpointOrder {
  readonly path: string;
  readonly busyTimeoutMs: number;
}

/** The result of a pass over the log. */
export interface PassResult {
  readonly error: string | null;
}

/** Reports failed passes, and each time that writes wait. */
export interface CheckpointLog {
  warn?(details: object, message: string): void;
  debug?(details: object, message: string): void;
}

/** Pages of 4 KiB that are not yet copied: at 16 MiB a frequently changed page is copied once for many commits. */
const duePages = 4000;
/** Copying this many pages takes a millisecond or two, so the writer can wait for it. */
const fewPages = 500;
/**
 * Passes while the writer continues. It may write faster than a slow disk copies; after these it waits for the rest.
 */
const maxPasses = 3;
/** Commits between two checks of the log size: a check costs about 3 µs. */
const lookEvery = 8;
/**
 * Commits between a failed pass and the next one: a second or more on a busy service, in which the disk may recover.
 */
const retryAfter = 1000;

/** For a database in memory: it has no log. */
export const noCheckpoints: Checkpoints = {
  committed: () => undefined,
  pause: null,
  close: () => Promise.resolve(),
};

/** The checkpoints of a database file, on a separate thread, so that the event loop does not wait for the disk. */
export function checkpointsOf(connection: Connection, path: string, log: CheckpointLog = {}): Checkpoints {
  return new ThreadedCheckpoints(connection, path, log);
}

class ThreadedCheckpoints implements Checkpoints {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #log: CheckpointLog;
  #thread: Worker | null = null;
  #commits = 0;
  #nextLook = lookEvery;
  #running: Promise<void> | null = null;
  pause: Promise<void> | null = null;

  constructor(connection: Connection, path: string, log: CheckpointLog) {
    this.#connection = connection;
    this.#path = path;
    this.#log = log;
  }

  committed(): void {
    this.#commits += 1;
    if (this.#running !== null || this.#commits < this.#nextLook) return;
    this.#nextLook = this.#commits + lookEvery;
    if (this.#connection.uncopiedPages() < duePages) return;
    this.#running = this.#run()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Nothing is lost: the log still holds what was not copied. */
  #failed(error: unknown): void {
    this.#nextLook = this.#commits + retryAfter;
    this.#log.warn?.({ err: error }, 'the log could not be copied to the database file; it grows until that succeeds');
  }

  /**
   * Copies most pages while the writer continues, then the rest while it waits: only a log that is copied completely
   * can restart.
   */
  async #run(): Promise<void> {
    for (let passes = 0; passes < maxPasses && this.#connection.uncopiedPages() > fewPages; passes += 1) {
      await this.#pass();
    }
    const last = this.#pass();
    this.pause = last.catch(() => undefined);
    this.#log.debug?.({}, 'writes wait until the rest of the log is copied to the database file');
    try {
      await last;
    } finally {
      this.pause = null;
    }
  }

  #pass(): Promise<void> {
    const thread = this.#thread ?? this.#begin();
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      const ended = (): void => {
        thread.off('message', received).off('error', failed).off('exit', gone);
      };
      const received = ({ error }: PassResult): void => {
        ended();
        if (error === null) resolve();
        else reject(new Error(error));
      };
      const failed = (error: Error): void => {
        ended();
        this.#thread = null;
        reject(error);
      };
      const gone = (): void => failed(new Error('The thread of the checkpoints has ended.'));
      thread.on('message', received).on('error', failed).on('exit', gone);
      thread.postMessage(null);
    });
  }

  #begin(): Worker {
    const workerData: CheckpointOrder = { path: this.#path, busyTimeoutMs };
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData });
    // An idle thread does not keep the process alive.
    thread.unref();
    return thread;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#thread?.terminate();
    this.#thread = null;
  }
}
