import { Worker } from 'node:worker_threads';
import { busyTimeoutMs, type Connection } from './connection.ts';

/** Copies what the log holds into the database file, so that the log begins anew and stays small. */
export interface Checkpoints {
  /** Told after each commit. */
  committed(): void;
  /** While it is a promise nothing may be written; it resolves when writing may go on. */
  readonly pause: Promise<void> | null;
  /** Resolves when no pass is under way any more. */
  close(): Promise<void>;
}

/** What the thread is made for. */
export interface CheckpointOrder {
  readonly path: string;
  readonly busyTimeoutMs: number;
}

/** How a pass over the log ended. */
export interface PassResult {
  readonly error: string | null;
}

/** Reports passes that fail, and each time that writes wait. */
export interface CheckpointLog {
  warn?(details: object, message: string): void;
  debug?(details: object, message: string): void;
}

/** Pages of 4 KiB that are not copied yet: at 16 MiB a hot page is copied once for many commits. */
const duePages = 4000;
/** So few pages are copied in a millisecond or two: the writer can wait for them. */
const fewPages = 500;
/** Passes while the writer goes on. It may write faster than a poor disk copies: after these it waits for the rest. */
const maxPasses = 3;
/** Commits between two looks at the log: a look costs some 3 µs. */
const lookEvery = 8;
/** Commits after a pass that failed until the next one: a second or more on a busy service, which may mend a disk. */
const retryAfter = 1000;

/** For a database in memory: it has no log. */
export const noCheckpoints: Checkpoints = {
  committed: () => undefined,
  pause: null,
  close: () => Promise.resolve(),
};

/** The checkpoints of a database file, on a thread of their own, so that the event loop does not wait for the disk. */
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

  /** Nothing is lost: the log keeps what was not copied. */
  #failed(error: unknown): void {
    this.#nextLook = this.#commits + retryAfter;
    this.#log.warn?.({ err: error }, 'the log could not be copied to the database file; it grows until that succeeds');
  }

  /** Copies most beside the writer; then the rest while it waits, for only a log that is copied whole begins anew. */
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
        thread.off('message', heard).off('error', failed).off('exit', gone);
      };
      const heard = ({ error }: PassResult): void => {
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
      thread.on('message', heard).on('error', failed).on('exit', gone);
      thread.postMessage(null);
    });
  }

  #begin(): Worker {
    const workerData: CheckpointOrder = { path: this.#path, busyTimeoutMs };
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData });
    // The service may end while it idles.
    thread.unref();
    return thread;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#thread?.terminate();
    this.#thread = null;
  }
}
