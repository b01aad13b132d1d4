import { Problem } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';

/** Wrong keys per minute from one address; further ones are rejected. */
const maxFailures = 20;
const windowMs = 60_000;
/** Maximum number of addresses; beyond it the oldest is deleted, so a flood of addresses uses no memory. */
const maxAddresses = 10_000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/** The error for an address that must wait. */
export function tooManyFailures(retryAfter: number): Problem {
  return new Problem('rate_limited', 'Too many failed authentications. Try again in a minute.', { retryAfter });
}

/** Errors for other reasons, such as a full disk, do not count as guesses. */
function isWrongGuess(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'unauthenticated' || error.kind === 'invalid');
}

/** Counts failed authentications per address. Valid keys are never delayed, because others may share the address. */
export class FailedAuth {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts one failure. Returns the seconds to wait if there were too many, otherwise null. */
  count(address: string): number | null {
    const now = this.#clock.monotonic();
    const window = this.#windowOf(address, now);
    window.failures += 1;
    return window.failures > maxFailures ? Math.ceil((window.endsAt - now) / 1000) : null;
  }

  /**
   * Checks a password. The guess is counted before the check; otherwise many concurrent guesses would all be checked.
   * @throws Problem `rate_limited`, even if this guess is right; or the error of the check
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
