/** What a refused caller is told where nothing is known yet: a request may have come in the first second. */
const firstGuess = 5;
/** Seconds; who comes back after a minute finds out how it goes on. */
const longest = 60;
/** How far back runs are counted, in milliseconds: longer, and a queue that begins to move is not seen to. */
const sampleMs = 5_000;
/** Less than this is no measure. */
const leastMs = 250;

interface Sample {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
  readonly accepted: number;
  readonly open: number;
}

/** Says when a full queue has room again, by how fast its runs have ended lately. */
export class QueuePace {
  #accepted = 0;
  #before: Sample | null = null;
  #last: Sample | null = null;

  accepted(): void {
    this.#accepted += 1;
  }

  /** Seconds until so many runs have ended as are too many now; `now` is on the monotonic clock. */
  secondsUntilRoom(now: number, open: number, tooMany: number): number {
    const sample = { at: now, accepted: this.#accepted, open };
    // What was so a while ago says nothing of now.
    if (this.#last !== null && now - this.#last.at > 4 * sampleMs) this.#before = this.#last = null;
    const since = this.#before;
    // Two samples in turn, so that there is always one of some age.
    if (this.#last === null || now - this.#last.at > sampleMs) {
      this.#before = this.#last ?? sample;
      this.#last = sample;
    }
    if (since === null || now - since.at < leastMs) return firstGuess;
    const ended = sample.accepted - since.accepted - (open - since.open);
    if (ended <= 0) return longest;
    return Math.min(longest, Math.max(1, Math.ceil((tooMany * (now - since.at)) / ended / 1000)));
  }
}
