import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { logTime } from '../ground/clock.ts';
import { cell, workCells, workIn } from './work-cells.ts';
import { section, WorkFile } from './work-file.ts';

/** The parameters of the thread. */
export interface WatchdogOrder {
  readonly memory: SharedArrayBuffer;
  /** The file of the work. */
  readonly path: string;
  readonly stallMs: number;
  readonly endMs: number;
  readonly isLogged: boolean;
}

/**
 * The thread that watches the event loop: it records a stall, and ends the process if the stall does not end. It does
 * all of it synchronously, because whatever passes through the main thread would wait for the stall.
 */
const { memory, path, stallMs, endMs, isLogged } = workerData as WatchdogOrder;
const { cells, text } = workCells(memory);
const file = WorkFile.open(path);

/**
 * The stall is measured in these, not by the clock: while the machine is suspended or the process stopped, this thread
 * waits, too.
 */
const pollMs = Math.min(250, stallMs / 2);

/** Like a line of the service's log, which the main thread cannot write now. */
function log(level: number, details: object, msg: string): void {
  if (isLogged) writeSync(2, `${JSON.stringify({ level, time: logTime(), ...details, msg })}\n`);
}

let seen = -1;
let stalledMs = 0;

function look(): void {
  const change = Atomics.load(cells, cell.change);
  const length = Atomics.load(cells, cell.length);
  if (change !== seen || length === 0) {
    seen = change;
    if (stalledMs >= stallMs) file.clear(section.stall);
    stalledMs = 0;
    return;
  }
  const wasStalled = stalledMs >= stallMs;
  stalledMs += pollMs;
  if (stalledMs < stallMs) return;
  const work = workIn(Buffer.from(text.subarray(0, length)).toString());
  file.write(section.stall, { ...work, stalledMs, record: Atomics.load(cells, cell.record) });
  if (!wasStalled) log(50, work, 'an execution stalls the service');
  if (stalledMs < endMs) return;
  log(60, { ...work, stalledMs }, 'the process ends, because an execution stalls the service');
  process.kill(process.pid, 'SIGKILL');
}

for (;;) {
  Atomics.wait(cells, cell.never, 0, pollMs);
  look();
}
