import type { Work } from '../runner/work-record.ts';

/**
 * Memory that the main thread and the watchdog share: which work has the event loop. The main thread increments a
 * number whenever that changes.
 */
export interface WorkCells {
  readonly memory: SharedArrayBuffer;
  readonly cells: Int32Array;
  /** The current work of a run, as `textOf` writes it. */
  readonly text: Uint8Array;
  /** The open requests of each route, by its number. */
  readonly open: Int32Array;
  /** The names of the routes, in the order of their numbers, each followed by a line break. */
  readonly names: Uint8Array;
}

/** Indexes of `cells`. */
export const cell = {
  /** Incremented by each change of the work of runs. */
  change: 0,
  /** Bytes of `text` in use; 0 if no run has the event loop. */
  length: 1,
  /** The number of the record that the main thread last wrote to the file. */
  record: 2,
  /** Never changes: the watchdog waits on it. */
  never: 3,
  /** Incremented by a timer: it stands still while the event loop does. */
  beat: 4,
  /** The number of the route that last had the event loop in this turn, plus 1; 0 if there is none. */
  route: 5,
  /** Bytes of `names` in use. */
  namesLength: 6,
} as const;

const cellBytes = 7 * 4;
/** More than the longest id and node id need. */
const textBytes = 1024;
/** Four times the number of routes. */
export const routesKept = 600;
/** Twice the length of the average name, for each route. */
const namesBytes = routesKept * 100;

const openAt = cellBytes + textBytes;
const namesAt = openAt + routesKept * 4;

export const workMemoryBytes = namesAt + namesBytes;

export function workCells(memory: SharedArrayBuffer): WorkCells {
  return {
    memory,
    cells: new Int32Array(memory, 0, cellBytes / 4),
    text: new Uint8Array(memory, cellBytes, textBytes),
    open: new Int32Array(memory, openAt, routesKept),
    names: new Uint8Array(memory, namesAt, namesBytes),
  };
}

/** The text of work. JSON would take longer, and the text is written for each step. */
export function textOf({ executionId, during, nodeId }: Work): string {
  return `${executionId}\n${during}\n${nodeId ?? ''}`;
}

export function workIn(text: string): Work {
  const [executionId = '', during, nodeId = ''] = text.split('\n');
  return { executionId, during: during === 'resume' ? 'resume' : 'steps', nodeId: nodeId === '' ? null : nodeId };
}

/** The use of the routes while the event loop stands still. */
export interface RoutesInUse {
  /** The route that last had the event loop; null if other work has it. */
  readonly route: string | null;
  /** The routes with open requests, the busiest first. */
  readonly openRequests: readonly string[];
}

/** The most routes that are listed: a stall is most often caused by one of a few. */
const maxListed = 5;

export function routesInUse({ cells, open, names }: WorkCells): RoutesInUse {
  const length = Atomics.load(cells, cell.namesLength);
  const routes = Buffer.from(names.subarray(0, length)).toString().split('\n').slice(0, -1);
  const counted = routes
    .map((name, index) => ({ name, count: open[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return {
    route: routes[Atomics.load(cells, cell.route) - 1] ?? null,
    openRequests: counted.slice(0, maxListed).map(({ name, count }) => (count === 1 ? name : `${name} (${count})`)),
  };
}
