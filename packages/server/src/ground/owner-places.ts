/**
 * An owner gets another place while it holds less than this many times the places that are left. So one owner has at most
 * three quarters, each further one three quarters of the rest, and as places are given back, owners that want more come to
 * hold equal shares.
 */
export const timesWhatIsLeft = 3;

/** Places that the owners of workflows share, each held for a while. Nobody waits for one. */
export class OwnerPlaces {
  readonly #total: number;
  readonly #held = new Map<number, number>();
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Takes a place. Returns how to give it back, which counts once; null if the owner has its share. */
  take(ownerId: number): (() => void) | null {
    const held = this.#held.get(ownerId) ?? 0;
    if (held >= timesWhatIsLeft * (this.#total - this.#taken)) return null;
    this.#held.set(ownerId, held + 1);
    this.#taken += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#giveBack(ownerId);
      isHeld = false;
    };
  }

  #giveBack(ownerId: number): void {
    const left = (this.#held.get(ownerId) ?? 0) - 1;
    if (left <= 0) this.#held.delete(ownerId);
    else this.#held.set(ownerId, left);
    this.#taken -= 1;
  }
}
