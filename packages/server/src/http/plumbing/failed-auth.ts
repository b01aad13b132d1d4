import { Problem } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { clientNetwork } from './client-network.ts';

/** Failures per minute from one network; further ones are rejected. */
const maxFailures = 20;
const windowMs = 60_000;
/** Maximum number of networks; beyond it the oldest is deleted, so a flood of addresses uses no memory. */
const maxNetworks = 10_000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/** The error for a sender who must wait. */
export function tooManyFailures(retryAfter: number): Problem {
  return new Problem('rate_limited', 'Too many failed authentications. Try again in a minute.', { retryAfter });
}

/** The counts of failed authentications, one for each kind: senders of one kind never delay those of another. */
export interface FailedAuths {
  /** Wrong API keys at the API, in WebSockets and in logins. */
  readonly keys: FailedAuth;
  /** Requests to webhooks with a wrong key, signature, token or password. */
  readonly webhooks: FailedAuth;
}

export function createFailedAuths(clock: Pick<Clock, 'monotonic'>): FailedAuths {
  return { keys: new FailedAuth(clock), webhooks: new FailedAuth(clock) };
}

/** Counts failed authentications per network. Valid keys are never delayed, because others may share the network. */
export class FailedAuth {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts one failure. Returns the seconds to wait if there were too many, otherwise null. */
  count(address: string): number | null {
    const now = this.#clock.monotonic();
    const window = this.#windowOf(clientNetwork(address), now);
    window.failures += 1;
    return window.failures > maxFailures ? Math.ceil((window.endsAt - now) / 1000) : null;
  }

  /**
   * Checks a key that is part of a body, and counts a wrong one.
   * @throws Problem `rate_limited` if it is wrong and there were too many; or the error of the check
   */
  async check<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'unauthenticated') throw error;
      const wait = this.count(address);
      throw wait === null ? error : tooManyFailures(wait);
    }
  }

  #windowOf(network: string, now: number): Window {
    const current = this.#windows.get(network);
    if (current !== undefined && current.endsAt > now) return current;
    this.#windows.delete(network);
    const oldest = this.#windows.keys().next().value;
    if (this.#windows.size >= maxNetworks && oldest !== undefined) this.#windows.delete(oldest);
    const fresh = { endsAt: now + windowMs, failures: 0 };
    this.#windows.set(network, fresh);
    return fresh;
  }
}
