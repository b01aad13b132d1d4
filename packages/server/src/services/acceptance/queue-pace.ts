/** Seconds that are returned while nothing is measured, e.g. for a request in the first second. */
const firstGuess = 5;
/** At most this many seconds: a caller that tries again after a minute gets a newer estimate. */
const longest = 60;
/** The time between samples, in milliseconds: with a longer one, a queue that starts to move would go unnoticed. */
const sampleMs = 5_000;
/** A shorter time is too short to measure a rate. */
const leastMs = 250;

interface Sample {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
  readonly accepted: number;
  readonly open: number;
}

/** Estimates when a full queue has room again, from how fast its runs have ended recently. */
export class QueuePace {
  #accepted = 0;
  #before: Sample | null = null;
  #last: Sample | null = null;

  accepted(): void {
    this.#accepted += 1;
  }

  /** Seconds until `tooMany` runs have ended; `now` is on the monotonic clock. */
  secondsUntilRoom(now: number, open: number, tooMany: number): number {
    const sample = { at: now, accepted: this.#accepted, open };
    // Old samples do not describe the present.
    if (this.#last !== null && now - this.#last.at > 4 * sampleMs) this.#before = this.#last = null;
    const since = this.#before;
    // Two samples, replaced in turn, so that one is always old enough to measure from.
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
