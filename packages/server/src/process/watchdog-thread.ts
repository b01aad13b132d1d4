import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { logTime } from '../ground/clock.ts';
import { cell, routesInUse, workCells, workIn } from './work-cells.ts';
import { section, WorkFile } from './work-file.ts';

/** The parameters of the thread. */
export interface WatchdogOrder {
  readonly memory: SharedArrayBuffer;
  /** The file of the work. */
  readonly path: string;
  /** Milliseconds between two looks. */
  readonly lookMs: number;
  readonly stallMs: number;
  readonly endMs: number;
  readonly isLogged: boolean;
}

/**
 * The thread that watches the event loop: it records a stall, and ends the process if the stall does not end. It does
 * all of it synchronously, because whatever passes through the main thread would wait for the stall.
 */
const { memory, path, lookMs, stallMs, endMs, isLogged } = workerData as WatchdogOrder;
const shared = workCells(memory);
const { cells, text } = shared;
const file = WorkFile.open(path);

/** Like a line of the service's log, which the main thread cannot write now. */
function log(level: number, details: object, msg: string): void {
  if (isLogged) writeSync(2, `${JSON.stringify({ level, time: logTime(), ...details, msg })}\n`);
}

/**
 * How long a number has not changed. This is measured in looks, not by the clock: while the machine is suspended or the
 * process stopped, this thread waits, too.
 */
class Standstill {
  #seen = -1;
  ms = 0;

  look(value: number): void {
    this.ms = value === this.#seen ? this.ms + lookMs : 0;
    this.#seen = value;
  }
}

/** Of the event loop, whatever has it. */
const loop = new Standstill();
/** Of the work of a run: it stalls the process only if it is one piece of work. */
const run = new Standstill();

/** What has the event loop: a piece of work of a run, or anything else. */
interface Stall {
  /** How its line begins. */
  readonly cause: string;
  /** The same for one stall. */
  readonly key: string;
  readonly details: object;
  /** For the next process. */
  readonly record: object;
}

function stallNow(): Stall | null {
  const length = Atomics.load(cells, cell.length);
  loop.look(Atomics.load(cells, cell.beat));
  // Without work of a run, nothing of it stands still.
  run.look(length === 0 ? Number.NaN : Atomics.load(cells, cell.change));
  if (run.ms >= stallMs) return ofRun(Buffer.from(text.subarray(0, length)).toString());
  return loop.ms >= stallMs ? ofService() : null;
}

function ofRun(text: string): Stall {
  const work = workIn(text);
  const record = { ...work, stalledMs: run.ms, record: Atomics.load(cells, cell.record) };
  return { cause: 'an execution', key: text, details: work, record };
}

function ofService(): Stall {
  const routes = routesInUse(shared);
  const cause = routes.route === null ? 'other work than an execution or a request' : 'a request';
  return { cause, key: cause, details: routes, record: { ...routes, stalledMs: loop.ms } };
}

/** The key of the stall that was logged; null without a stall. */
let logged: string | null = null;

function look(): void {
  const stall = stallNow();
  if (stall === null) {
    if (logged !== null) file.clear(section.stall);
    logged = null;
    return;
  }
  file.write(section.stall, stall.record);
  if (logged !== stall.key) log(50, stall.details, `${stall.cause} stalls the service`);
  logged = stall.key;
  const stalledMs = Math.max(loop.ms, run.ms);
  if (stalledMs < endMs) return;
  log(60, { ...stall.details, stalledMs }, `the process ends, because ${stall.cause} stalls the service`);
  process.kill(process.pid, 'SIGKILL');
}

for (;;) {
  Atomics.wait(cells, cell.never, 0, lookMs);
  look();
}
