import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { newExecutionId } from '../ground/ids.ts';
import type { Work, WorkRecord } from '../runner/work-record.ts';
import { RouteUses } from './route-uses.ts';
import type { WatchdogOrder } from './watchdog-thread.ts';
import { cell, textOf, type WorkCells, workCells, workMemoryBytes } from './work-cells.ts';
import { section, WorkFile } from './work-file.ts';

/** Milliseconds after which the event loop stalls: a hundred times what a run may take before it yields. */
const usualStallMs = 1000;

/**
 * Milliseconds after which a stalled process is ended, so that its supervisor restarts it. No single step of work takes
 * as long on any machine, and nobody waits longer for an answer.
 */
const usualEndMs = 30_000;

type WatchdogLog = Pick<Logger, 'warn' | 'isLevelEnabled'>;

/** How long a stall may take; tests use less. */
export interface StallLimits {
  readonly stallMs: number;
  readonly endMs: number;
}

/** Milliseconds between two looks at the event loop. */
const usualLookMs = 250;

/**
 * Watches the event loop. Records which run or route has it, in memory for the watchdog's thread, and which run in a
 * file for the next process.
 */
export class Watchdog implements WorkRecord {
  /** Records the use of routes. */
  readonly routes: RouteUses;
  readonly #file: WorkFile;
  readonly #shared: WorkCells = workCells(new SharedArrayBuffer(workMemoryBytes));
  readonly #text = Buffer.from(this.#shared.text.buffer, this.#shared.text.byteOffset, this.#shared.text.byteLength);
  readonly #processId = newExecutionId();
  readonly #log: WatchdogLog;
  readonly #asyncWork = new AsyncLocalStorage<Work>();
  readonly #thread: Worker;
  readonly #beat: NodeJS.Timeout;
  readonly #onExit = (): void => this.#exiting();
  #current: Work | null = null;
  /** The run that the file names. */
  #recorded: string | null = null;
  #recordedDuring: Work['during'] = 'steps';
  #records = 0;
  #isClearing = false;
  #isBroken = false;

  /** @throws an error of the file system */
  constructor(path: string, log: WatchdogLog, limits: Partial<StallLimits> = {}) {
    this.#file = WorkFile.create(path);
    this.#log = log;
    this.routes = new RouteUses(this.#shared);
    const stallMs = limits.stallMs ?? usualStallMs;
    const lookMs = Math.min(usualLookMs, stallMs / 2);
    const { cells } = this.#shared;
    this.#beat = setInterval(() => Atomics.add(cells, cell.beat, 1), lookMs).unref();
    const workerData: WatchdogOrder = {
      memory: this.#shared.memory,
      path,
      lookMs,
      stallMs,
      endMs: limits.endMs ?? (isDebugged() ? Number.POSITIVE_INFINITY : usualEndMs),
      isLogged: log.isLevelEnabled('error'),
    };
    this.#thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData });
    this.#thread.unref();
    this.#thread.on('error', (err) => log.warn({ err }, 'the watchdog has ended; stalls are no longer detected'));
    process.on('exit', this.#onExit);
  }

  get isRecording(): boolean {
    return this.#current !== null;
  }

  perform<Result>(work: Work, act: () => Result): Result {
    const before = this.#current;
    this.#set(work);
    try {
      return work.nodeId === null ? act() : this.#asyncWork.run(work, act);
    } finally {
      this.#set(before);
    }
  }

  continue(work: Work): void {
    this.#set(work);
    // The component's code follows in microtasks, which come before this.
    process.nextTick(() => this.#set(null));
  }

  /** Ends the watchdog, and removes the file: the process ends cleanly. */
  async close(): Promise<void> {
    process.off('exit', this.#onExit);
    clearInterval(this.#beat);
    await this.#thread.terminate();
    this.#file.remove();
  }

  #set(work: Work | null): void {
    this.#current = work;
    const { cells } = this.#shared;
    if (work !== null) this.#record(work);
    const length = work === null ? 0 : this.#text.write(textOf(work));
    Atomics.store(cells, cell.length, length);
    Atomics.add(cells, cell.change, 1);
  }

  /** Writes the run to the file, which takes about 2 µs. */
  #record(work: Work): void {
    if (this.#recorded === work.executionId && this.#recordedDuring === work.during) return;
    this.#recorded = work.executionId;
    this.#recordedDuring = work.during;
    this.#records += 1;
    Atomics.store(this.#shared.cells, cell.record, this.#records);
    const { executionId, during } = work;
    const record = { executionId, during, nodeId: null, processId: this.#processId, record: this.#records };
    this.#write(() => this.#file.write(section.work, record));
    if (this.#isClearing) return;
    this.#isClearing = true;
    // Once for all runs of this turn of the event loop.
    setImmediate(() => this.#clear());
  }

  #clear(): void {
    this.#isClearing = false;
    this.#recorded = null;
    this.#write(() => this.#file.clear(section.work));
  }

  /** The process exits: if a run's code caused this, the file says so. */
  #exiting(): void {
    const work = this.#asyncWork.getStore();
    if (work !== undefined) this.#write(() => this.#file.write(section.exit, { ...work, processId: this.#processId }));
  }

  /** Without the file, runs continue; only their crashes are no longer attributed to them. */
  #write(act: () => void): void {
    if (this.#isBroken) return;
    try {
      act();
    } catch (error) {
      this.#isBroken = true;
      this.#log.warn({ err: error }, 'it cannot be recorded which execution has the event loop');
    }
  }
}

/** At a breakpoint the event loop stands still. */
function isDebugged(): boolean {
  return process.execArgv.some((arg) => arg.startsWith('--inspect'));
}
