import { Problem } from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownDevices } from '../../services/access/known-devices.ts';
import type { Guesser, LoginGuard } from '../../services/access/login-guard.ts';
import type { PasswordProof } from '../../services/access/logins.ts';
import type { HostCookie } from '../handling/host-cookie.ts';
import { clientNetwork } from './client-network.ts';

interface GuessPorts {
  readonly guard: LoginGuard;
  readonly devices: KnownDevices;
  /** The cookie by which a browser is recognised. */
  readonly deviceCookie: HostCookie;
}

/** Checks passwords and setup tokens, and slows down those who guess them. */
export class PasswordGuesses {
  readonly #ports: GuessPorts;

  constructor(ports: GuessPorts) {
    this.#ports = ports;
  }

  /**
   * Checks a guess for an account, or with null one that concerns no account.
   * @throws Problem `rate_limited`; or the error of the check
   */
  async ofStranger<T>(
    request: FastifyRequest,
    account: string | null,
    attempt: (source: PasswordProof['source']) => Promise<T>,
  ): Promise<T> {
    return this.#guess({ account, network: clientNetwork(request.ip), known: this.#device(request, account) }, attempt);
  }

  /** Checks a guess by a caller who has a key of the account: only other callers with its keys can delay it. */
  async ofCaller<T>(request: FastifyRequest, userId: number, attempt: () => Promise<T>): Promise<T> {
    return this.#guess({ account: null, network: clientNetwork(request.ip), known: `user ${userId}` }, attempt);
  }

  /** Lets the browser be recognised at the next login. */
  remember(request: FastifyRequest, reply: FastifyReply, username: string): void {
    const { token: value, validFor: ms } = this.#ports.devices.issue(username);
    this.#ports.deviceCookie.send(request, reply, { value, ms });
  }

  async #guess<T>(guesser: Guesser, attempt: (source: PasswordProof['source']) => Promise<T>): Promise<T> {
    // The guess is counted before the check; otherwise many concurrent guesses would all be checked.
    const guess = this.#ports.guard.begin(guesser);
    if (typeof guess === 'number') throw tooManyGuesses(guess);
    try {
      const result = await attempt({ id: guesser.known ?? guesser.network, isKnown: guess.isKnown });
      guess.right();
      return result;
    } catch (error) {
      if (!isWrongGuess(error)) guess.withdraw();
      throw error;
    }
  }

  #device(request: FastifyRequest, account: string | null): string | null {
    const [token, ...others] = this.#ports.deviceCookie.read(request);
    if (account === null || token === undefined || others.length > 0) return null;
    return this.#ports.devices.identify(token, account);
  }
}

/** Errors for other reasons, such as a full disk, do not count as guesses. */
function isWrongGuess(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'unauthenticated' || error.kind === 'invalid');
}

function tooManyGuesses(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  return new Problem('rate_limited', `Too many wrong passwords. Try again in ${seconds} s.`, { retryAfter: seconds });
}
