import type { RunVariables } from '../../variables.ts';

/** Sets in memory: usually each workflow reads one, until a variable changes. */
const maxKnown = 20;

/** The values of the sets that runs read last. All runs share them in memory. */
export class KnownSets {
  readonly #sets = new Map<number, RunVariables>();

  get(setId: number): RunVariables | undefined {
    return this.#sets.get(setId);
  }

  add(setId: number, variables: RunVariables): void {
    // The set that was used last is the last one of the map.
    this.#sets.delete(setId);
    this.#sets.set(setId, variables);
    if (this.#sets.size > maxKnown) this.#sets.delete(this.#sets.keys().next().value ?? setId);
  }
}
