import { Worker } from 'node:worker_threads';
import type { Problem } from '@millrace/core';
import { type CancelTimer, systemTimers, type Timers } from '../../../../ground/clock.ts';
import { busyTimeoutMs, type Connection } from '../connection.ts';
import { blockedLog, fullLog, slowDisk } from '../failures.ts';
import { type LogLimits, type LogPressure, pressureOf, usualLogLimits } from './log-limits.ts';

/** Copies the contents of the log into the database file, so that the log can restart and stays small. */
export interface Checkpoints {
  /** Called after each commit. `isLong`: it took long enough to have written much. */
  committed(isLong: boolean): void;
  /** While this is a promise, nothing may be written; it resolves when writing may continue. */
  readonly pause: Promise<void> | null;
  /** The reason why nothing may be written after the pause: the log cannot restart. */
  readonly blocked: Problem | null;
  /** The reason why nothing new should be accepted: the log cannot restart, or writing waits long for the disk. */
  readonly backlog: Problem | null;
  /** The part of it that only an operator can change: the log cannot restart. */
  readonly problem: Problem | null;
  /** Resolves when no pass is in progress. */
  close(): Promise<void>;
}

/** The parameters of the thread. */
export interface CheckpointOrder {
  readonly path: string;
  readonly busyTimeoutMs: number;
}

/** `copy` never waits for others; `restart` also waits a moment for readers, so that the next write restarts the log. */
export type PassKind = 'copy' | 'restart';

/** The result of a pass over the log. */
export interface PassResult {
  readonly error: string | null;
  /** Whether a reader or another program prevented it. */
  readonly isBlocked: boolean;
}

/** Reports failed passes, and each time that writes wait. */
export interface CheckpointLog {
  warn?(details: object, message: string): void;
  debug?(details: object, message: string): void;
}

interface CheckpointPorts {
  readonly connection: Connection;
  readonly path: string;
  readonly log?: CheckpointLog | undefined;
  readonly limits?: LogLimits | undefined;
  /** In milliseconds. */
  readonly monotonic?: () => number;
  readonly timers?: Pick<Timers, 'after'>;
}

/** Copying this many bytes takes a millisecond or two, so the writer can wait for it. */
const fewBytes = 2 * 1_048_576;
/**
 * Passes while the writer continues. It may write faster than a slow disk copies; after these it waits for the rest.
 */
const maxPasses = 3;
/** Commits between two checks of the log size: a check costs about 3 µs. */
const lookEvery = 8;
/** Milliseconds between an attempt that failed or was blocked and the next one. */
const retryAfterMs = 1000;
/** Milliseconds of waiting after which nothing new is accepted: shorter waits are not worth a rejection. */
const longWaitMs = 1000;

/** For a database in memory: it has no log. */
export const noCheckpoints: Checkpoints = {
  committed: () => undefined,
  pause: null,
  blocked: null,
  backlog: null,
  problem: null,
  close: () => Promise.resolve(),
};

/** The checkpoints of a database file, on a separate thread, so that the event loop does not wait for the disk. */
export function checkpointsOf(ports: CheckpointPorts): Checkpoints {
  return new ThreadedCheckpoints(ports);
}

class ThreadedCheckpoints implements Checkpoints {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #log: CheckpointLog;
  readonly #limits: LogLimits;
  readonly #monotonic: () => number;
  readonly #timers: Pick<Timers, 'after'>;
  #thread: Worker | null = null;
  #commits = 0;
  #nextLook = lookEvery;
  /** Set between an attempt that failed or was blocked and the next one. */
  #cancelRetry: CancelTimer | null = null;
  /** The bytes of the log when they were last read; 0 after it was copied completely, because the next write restarts it. */
  #bytes = 0;
  #isBlocked = false;
  #running: Promise<void> | null = null;
  #pausedAt = 0;
  pause: Promise<void> | null = null;

  constructor(ports: CheckpointPorts) {
    const { connection, path, log = {}, limits = usualLogLimits, timers = systemTimers } = ports;
    const { monotonic = () => performance.now() } = ports;
    this.#connection = connection;
    this.#path = path;
    this.#log = log;
    this.#limits = limits;
    this.#monotonic = monotonic;
    this.#timers = timers;
  }

  committed(isLong: boolean): void {
    this.#commits += 1;
    if (!isLong && this.#commits < this.#nextLook) return;
    this.#nextLook = this.#commits + lookEvery;
    const { bytes, uncopied } = this.#connection.logSize();
    this.#bytes = bytes;
    if (this.#running === null) this.#begin(uncopied);
    else if (this.pause === null && this.#pressure.mustWait) this.#wait(this.#running);
  }

  get blocked(): Problem | null {
    return this.#pressure.isFull ? fullLog() : null;
  }

  get backlog(): Problem | null {
    const isLong = this.pause !== null && this.#monotonic() - this.#pausedAt > longWaitMs;
    return this.problem ?? (isLong ? slowDisk() : null);
  }

  get problem(): Problem | null {
    return this.blocked ?? (this.#pressure.isBehind ? blockedLog() : null);
  }

  get #pressure(): LogPressure {
    return pressureOf(this.#bytes, this.#limits);
  }

  /** Begins to copy the log if it is large, unless the last attempt failed a moment ago. */
  #begin(uncopied: number): void {
    const isDue = uncopied >= this.#limits.due || this.#pressure.mustWait;
    if (!isDue || this.#cancelRetry !== null) return;
    this.#running = this.#run()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Nothing is lost: the log still holds what was not copied. */
  #failed(error: unknown): void {
    this.#retryLater();
    this.#log.warn?.({ err: error }, 'the log could not be copied to the database file; it grows until that succeeds');
  }

  /**
   * Copies most pages while the writer continues, then the rest while it waits: only a log that is copied completely
   * can restart.
   */
  async #run(): Promise<void> {
    for (let passes = 0; passes < maxPasses && !this.#pressure.mustWait; passes += 1) {
      await this.#pass('copy');
      if (this.#connection.logSize().uncopied <= fewBytes) break;
    }
    const last = this.#pass(this.#pressure.mustWait ? 'restart' : 'copy');
    this.#wait(last);
    this.#log.debug?.({}, 'writes wait until the rest of the log is copied to the database file');
    const { isBlocked } = await last;
    if (isBlocked) this.#noteBlocked();
    else this.#restarts();
  }

  /** Writing waits until this has ended, also if it fails. */
  #wait(work: Promise<unknown>): void {
    if (this.pause === null) this.#pausedAt = this.#monotonic();
    const pause = work.then(
      () => undefined,
      () => undefined,
    );
    this.pause = pause;
    void pause.then(() => {
      if (this.pause === pause) this.pause = null;
    });
  }

  /** Also if no commit follows, as while everything new is rejected. */
  #retryLater(): void {
    this.#cancelRetry = this.#timers.after(retryAfterMs, () => {
      this.#cancelRetry = null;
      if (this.#running === null && this.#connection.isOpen) this.#begin(this.#connection.logSize().uncopied);
    });
  }

  #noteBlocked(): void {
    this.#retryLater();
    if (!this.#isBlocked) {
      const message = 'the log of the database cannot restart while another program reads it; it grows until that ends';
      this.#log.warn?.({ bytes: this.#bytes }, message);
    }
    this.#isBlocked = true;
  }

  #restarts(): void {
    this.#isBlocked = false;
    if (this.#connection.isOpen && this.#connection.logSize().uncopied === 0) this.#bytes = 0;
  }

  #pass(kind: PassKind): Promise<PassResult> {
    const thread = this.#thread ?? this.#start();
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      const ended = (): void => {
        thread.off('message', received).off('error', failed).off('exit', gone);
      };
      const received = (result: PassResult): void => {
        ended();
        if (result.error === null) resolve(result);
        else reject(new Error(result.error));
      };
      const failed = (error: Error): void => {
        ended();
        this.#thread = null;
        reject(error);
      };
      const gone = (): void => failed(new Error('The thread of the checkpoints has ended.'));
      thread.on('message', received).on('error', failed).on('exit', gone);
      thread.postMessage(kind);
    });
  }

  #start(): Worker {
    const workerData: CheckpointOrder = { path: this.#path, busyTimeoutMs };
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData });
    // An idle thread does not keep the process alive.
    thread.unref();
    return thread;
  }

  async close(): Promise<void> {
    await this.#running;
    this.#cancelRetry?.();
    await this.#thread?.terminate();
    this.#thread = null;
  }
}
