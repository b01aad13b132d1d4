import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../ground/clock.ts';
import type { IssuedKey } from '../../services/access/keys.ts';
import { HostCookie } from './host-cookie.ts';

/** The form of login keys; no other text is looked up. */
const sessionKey = /^mr_[\w-]{43}$/;

/** Replaces a cookie that cannot be a session; it is never a valid key. */
const unusable = '';

/** The cookie that contains the key of a browser's session. Scripts of pages cannot read it. */
export class SessionCookie {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #cookie: HostCookie;

  /** @param isSecure whether browsers reach the service by HTTPS */
  constructor(isSecure: boolean, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#cookie = new HostCookie({ name: 'millrace_session', isSecure });
  }

  /**
   * The key in the cookie of a request; null without a cookie, and if the request has an Authorization header, which has
   * precedence. An empty text stands for a cookie that cannot be a session.
   */
  read(request: FastifyRequest): string | null {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined || cookie === undefined) return null;
    const [value, ...others] = this.#cookie.read(request);
    if (value === undefined) return null;
    return others.length === 0 && sessionKey.test(value) ? value : unusable;
  }

  /** The browser deletes the cookie when the key expires. */
  set(request: FastifyRequest, reply: FastifyReply, { key, apiKey }: IssuedKey): void {
    this.#cookie.send(request, reply, { value: key, ms: (apiKey.expiresAt ?? 0) - this.#clock.now() });
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.#cookie.send(request, reply, { value: '', ms: 0 });
  }
}
