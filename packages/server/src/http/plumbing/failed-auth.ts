import { Problem } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';

/** Wrong keys that one address may show in a minute before it is told to wait. */
const maxFailures = 20;
const windowMs = 60_000;
/** Addresses watched at once; past it the one watched longest goes, so that a flood of addresses costs no memory. */
const maxAddresses = 10_000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/** The answer for an address that must wait. */
export function tooManyFailures(retryAfter: number): Problem {
  return new Problem('rate_limited', 'Too many failed authentications. Try again in a minute.', { retryAfter });
}

/** What is refused for another reason, such as a full disk, was no guess. */
function isWrongGuess(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'unauthenticated' || error.kind === 'invalid');
}

/** Counts failed authentications by address. Valid keys are never held up: others may share the address. */
export class FailedAuth {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts one failure. Seconds to wait when there were too many; null while there were not. */
  count(address: string): number | null {
    const now = this.#clock.monotonic();
    const window = this.#windowOf(address, now);
    window.failures += 1;
    return window.failures > maxFailures ? Math.ceil((window.endsAt - now) / 1000) : null;
  }

  /**
   * Tries a password. A guess is counted before it is known to be wrong, or many at once would all be tried.
   * @throws Problem `rate_limited`, also when this guess were right; or what the attempt throws
   */
  async guess<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    const retryAfter = this.count(address);
    if (retryAfter !== null) throw tooManyFailures(retryAfter);
    try {
      const result = await attempt();
      this.#forgive(address);
      return result;
    } catch (error) {
      if (!isWrongGuess(error)) this.#forgive(address);
      throw error;
    }
  }

  #forgive(address: string): void {
    const window = this.#windows.get(address);
    if (window !== undefined) window.failures -= 1;
  }

  #windowOf(address: string, now: number): Window {
    const current = this.#windows.get(address);
    if (current !== undefined && current.endsAt > now) return current;
    this.#windows.delete(address);
    const oldest = this.#windows.keys().next().value;
    if (this.#windows.size >= maxAddresses && oldest !== undefined) this.#windows.delete(oldest);
    const fresh = { endsAt: now + windowMs, failures: 0 };
    this.#windows.set(address, fresh);
    return fresh;
  }
}
