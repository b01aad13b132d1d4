import type { RouteRecord, RouteUse } from '../http/plumbing/route-record.ts';
import { cell, routesKept, type WorkCells } from './work-cells.ts';

/** Records the use of routes in the memory that the watchdog reads. */
export class RouteUses implements RouteRecord {
  readonly #shared: WorkCells;
  #count = 0;
  #isClearing = false;

  constructor(shared: WorkCells) {
    this.#shared = shared;
  }

  /** @throws Error if there is no room for it */
  add(name: string): RouteUse {
    const index = this.#count;
    const { cells, names, open } = this.#shared;
    const line = Buffer.from(`${name}\n`);
    const length = Atomics.load(cells, cell.namesLength);
    if (index === routesKept || length + line.length > names.length)
      throw new Error(`There is no room for ${name} among the routes that the watchdog names.`);
    names.set(line, length);
    Atomics.store(cells, cell.namesLength, length + line.length);
    this.#count += 1;
    const change = (by: number): void => {
      open[index] = (open[index] ?? 0) + by;
    };
    const occupy = (): void => this.#occupy(index + 1);
    return {
      begin: () => {
        change(1);
        occupy();
      },
      occupy,
      end: () => change(-1),
    };
  }

  #occupy(route: number): void {
    Atomics.store(this.#shared.cells, cell.route, route);
    if (this.#isClearing) return;
    this.#isClearing = true;
    // Once for all requests of this turn of the event loop.
    setImmediate(() => {
      this.#isClearing = false;
      Atomics.store(this.#shared.cells, cell.route, 0);
    });
  }
}
