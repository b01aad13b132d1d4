import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import type { Work } from '../runner/work-record.ts';
import type { UncleanEnd } from '../store/executions.ts';
import type { RoutesInUse } from './work-cells.ts';

/**
 * The file from which the next process reads what this one was doing when it ended. It is never synced: what was
 * written survives the death of the process, and no run causes a power failure.
 *
 * Each section is JSON, padded with spaces, or empty.
 */
export const section = {
  /** `Occupied`: the run that has the event loop, written by the main thread at each change of the run. */
  work: 0,
  /** `Stalled` or `ServiceStall`: written by the watchdog while the event loop stalls. */
  stall: 1,
  /** `Exited`: written when the process exits by an exception, or because a run's code ends it. */
  exit: 2,
} as const;

/** More than the JSON of any section. */
const sectionBytes = 1280;

const sectionCount = 3;

/** The work that has the event loop. */
export interface Occupied extends Work {
  readonly processId: string;
  readonly record: number;
}

/** The work that stalls the event loop, and the number of the record in `Occupied`, which must still be there. */
export interface Stalled extends Work {
  readonly record: number;
  readonly stalledMs: number;
}

/** A stall that no run caused. */
export interface ServiceStall extends RoutesInUse {
  readonly stalledMs: number;
}

export interface Exited extends Work {
  readonly processId: string;
}

/** Writes sections of the file. Reuses one buffer, because the main thread writes for each run. */
export class WorkFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #buffer = Buffer.alloc(sectionBytes);

  private constructor(path: string, flags: 'w' | 'r+') {
    this.#path = path;
    this.#fd = openSync(path, flags, 0o600);
  }

  /** @throws an error of the file system */
  static create(path: string): WorkFile {
    const file = new WorkFile(path, 'w');
    for (const index of Object.values(section)) file.clear(index);
    return file;
  }

  /** For another thread of the process. */
  static open(path: string): WorkFile {
    return new WorkFile(path, 'r+');
  }

  write(index: number, content: object): void {
    this.#buffer.fill(' ');
    this.#buffer.write(JSON.stringify(content));
    writeSync(this.#fd, this.#buffer, 0, sectionBytes, index * sectionBytes);
  }

  clear(index: number): void {
    this.#buffer.fill(' ');
    writeSync(this.#fd, this.#buffer, 0, sectionBytes, index * sectionBytes);
  }

  /** Removes the file: this process ends cleanly. */
  remove(): void {
    closeSync(this.#fd);
    unlinkSync(this.#path);
  }
}

/** How the previous process ended, as far as it is recorded. */
export interface PreviousEnd {
  /** If a run had the event loop then. */
  readonly ofRun: UncleanEnd | null;
  /** If it ended in a stall that no run caused. */
  readonly stall: ServiceStall | null;
}

export function readPreviousEnd(path: string): PreviousEnd {
  const bytes = bytesOf(path);
  const read = (index: number): unknown => parsed(bytes.subarray(index * sectionBytes, (index + 1) * sectionBytes));
  const [occupied, stalled, exited] = [read(section.work), read(section.stall), read(section.exit)] as [
    Occupied | null,
    Stalled | ServiceStall | null,
    Exited | null,
  ];
  if (exited === null && stalled !== null && 'openRequests' in stalled) return { ofRun: null, stall: stalled };
  return { ofRun: endOfRun(occupied, stalled as Stalled | null, exited), stall: null };
}

function endOfRun(occupied: Occupied | null, stalled: Stalled | null, exited: Exited | null): UncleanEnd | null {
  if (exited !== null) return { ...exited, kind: 'crash', stalledMs: 0, isCertain: true };
  if (occupied === null) return null;
  const { record, ...work } = occupied;
  // The stall may have ended before the watchdog noticed it.
  if (stalled?.record !== record) return { ...work, kind: 'crash', stalledMs: 0, isCertain: false };
  const { record: _record, ...stall } = stalled;
  return { ...work, ...stall, kind: 'stall', isCertain: true };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(sectionCount * sectionBytes, ' ');
  }
}

/** Null for an empty or damaged section. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return null;
  }
}
