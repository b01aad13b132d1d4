import { timesWhatIsLeft } from '../ground/owner-places.ts';
import type { Places } from '../store/executions.ts';

/** What a run in progress takes. */
export interface Held {
  readonly ownerId: number;
  /** Characters of JSON. */
  readonly size: number;
}

/** What each owner holds. */
type HeldByOwner = Map<number, { runs: number; size: number }>;

/** Runs that this process owns at once; most of them wait for I/O. */
const maxActive = 1000;

/**
 * Characters of JSON of the runs in progress, above which only small runs are claimed: as objects they take several times
 * as much memory. The large ones wait, so that they share it.
 */
const maxActiveSize = 33_554_432;

/** The size of a run that starts although the runs in progress, or those of its owner, take much memory. */
const smallRun = 262_144;

const mostOfOne = timesWhatIsLeft / (timesWhatIsLeft + 1);

/** The runs in progress of one process, and which owners may have more of them. For one claim. */
export class Shares implements Places {
  readonly #inProgress: () => Iterable<Iterable<Held>>;
  #runs: number;
  #size: number;
  readonly #taken: Held[] = [];
  /** What each owner holds; null until somebody may have too much. */
  #byOwner: HeldByOwner | null = null;

  constructor(inProgress: () => Iterable<Iterable<Held>>) {
    this.#inProgress = inProgress;
    let [runs, size] = [0, 0];
    for (const some of inProgress()) {
      for (const run of some) {
        runs += 1;
        size += run.size;
      }
    }
    this.#runs = runs;
    this.#size = size;
  }

  /** The places that are left for all owners. */
  get free(): number {
    return maxActive - this.#runs;
  }

  /** True if an owner may have to wait for another one's run to end. */
  get areScarce(): boolean {
    return this.#runs >= mostOfOne * maxActive || this.#size >= mostOfOne * maxActiveSize;
  }

  placesFor(ownerId: number): number {
    const own = this.areScarce ? (this.#held().get(ownerId)?.runs ?? 0) : this.#runs;
    // Each further run takes one of those that are left.
    return Math.ceil((timesWhatIsLeft * this.free - own) / (timesWhatIsLeft + 1));
  }

  lackedBy(ownerId: number, size: number): 'place' | 'memory' | null {
    if (!this.areScarce) return null;
    if (this.placesFor(ownerId) <= 0) return 'place';
    return size <= smallRun || this.#hasMemoryFor(ownerId) ? null : 'memory';
  }

  #hasMemoryFor(ownerId: number): boolean {
    const held = this.#held();
    // A run grows as it likes: what an owner holds beyond its share does not count against others.
    let counted = 0;
    for (const { size } of held.values()) counted += Math.min(size, mostOfOne * maxActiveSize);
    return (held.get(ownerId)?.size ?? 0) < timesWhatIsLeft * (maxActiveSize - counted);
  }

  take(run: Held): void {
    this.#runs += 1;
    this.#size += run.size;
    if (this.#byOwner === null) this.#taken.push(run);
    else add(this.#byOwner, run);
  }

  #held(): HeldByOwner {
    if (this.#byOwner === null) {
      this.#byOwner = new Map();
      for (const some of [...this.#inProgress(), this.#taken]) {
        for (const run of some) add(this.#byOwner, run);
      }
    }
    return this.#byOwner;
  }
}

function add(held: HeldByOwner, { ownerId, size }: Held): void {
  const own = held.get(ownerId);
  if (own === undefined) held.set(ownerId, { runs: 1, size });
  else {
    own.runs += 1;
    own.size += size;
  }
}
