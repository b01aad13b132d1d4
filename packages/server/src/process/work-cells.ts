import type { Work } from '../runner/work-record.ts';

/**
 * Memory that the main thread and the watchdog share: which work has the event loop. The main thread increments the
 * number whenever that changes.
 */
export interface WorkCells {
  readonly memory: SharedArrayBuffer;
  readonly cells: Int32Array;
  /** The current work, as `textOf` writes it. */
  readonly text: Uint8Array;
}

/** Indexes of `cells`. */
export const cell = {
  /** Incremented by each change of the work. */
  change: 0,
  /** Bytes of `text` in use; 0 if no run has the event loop. */
  length: 1,
  /** The number of the record that the main thread last wrote to the file. */
  record: 2,
  /** Never changes: the watchdog waits on it. */
  never: 3,
} as const;

const cellBytes = 16;
/** More than the longest id and node id need. */
const textBytes = 1024;

export const workMemoryBytes = cellBytes + textBytes;

export function workCells(memory: SharedArrayBuffer): WorkCells {
  return { memory, cells: new Int32Array(memory, 0, 4), text: new Uint8Array(memory, cellBytes, textBytes) };
}

/** The text of work. JSON would take longer, and the text is written for each step. */
export function textOf({ executionId, during, nodeId }: Work): string {
  return `${executionId}\n${during}\n${nodeId ?? ''}`;
}

export function workIn(text: string): Work {
  const [executionId = '', during, nodeId = ''] = text.split('\n');
  return { executionId, during: during === 'resume' ? 'resume' : 'steps', nodeId: nodeId === '' ? null : nodeId };
}
