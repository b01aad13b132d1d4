import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../ground/clock.ts';
import type { IssuedKey } from '../../services/access/keys.ts';

/** The form of login keys; no other text is looked up. */
const sessionKey = /^mr_[\w-]{43}$/;

/** Replaces a cookie that cannot be a session; it is never a valid key. */
const unusable = '';

/** The cookie that contains the key of a browser's session. Scripts of pages cannot read it. */
export class SessionCookie {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #isSecure: boolean;

  /** @param isSecure whether browsers reach the service by HTTPS */
  constructor(isSecure: boolean, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#isSecure = isSecure;
  }

  /**
   * The key in the cookie of a request; null without a cookie, and if the request has an Authorization header, which has
   * precedence. An empty text stands for a cookie that cannot be a session: several with this name are ambiguous,
   * because pages of other ports and parent domains can set them.
   */
  read({ headers }: FastifyRequest): string | null {
    const { authorization, cookie } = headers;
    if (authorization !== undefined || cookie === undefined) return null;
    const start = `${this.#nameFor(headers.host)}=`;
    const pairs = cookie.split(';').map((pair) => pair.trim());
    const [first, ...others] = pairs.filter((pair) => pair.startsWith(start));
    if (first === undefined) return null;
    const value = first.slice(start.length);
    return others.length === 0 && sessionKey.test(value) ? value : unusable;
  }

  /** The browser deletes the cookie when the key expires. */
  set(request: FastifyRequest, reply: FastifyReply, { key, apiKey }: IssuedKey): void {
    this.#send(request, reply, { value: key, ms: (apiKey.expiresAt ?? 0) - this.#clock.now() });
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.#send(request, reply, { value: '', ms: 0 });
  }

  #send({ headers }: FastifyRequest, reply: FastifyReply, { value, ms }: { value: string; ms: number }): void {
    const parts = [
      `${this.#nameFor(headers.host)}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      `Max-Age=${Math.floor(ms / 1000)}`,
      ...(this.#isSecure ? ['Secure'] : []),
    ];
    reply.header('set-cookie', parts.join('; '));
  }

  /** Contains the port, which cookies ignore: two services on one host would overwrite each other's cookie. */
  #nameFor(host = ''): string {
    const [, port] = /:(\d{1,5})$/.exec(host) ?? [];
    const name = port === undefined ? 'millrace_session' : `millrace_session_${port}`;
    // Browsers accept a cookie with this prefix only over TLS, and from this host itself.
    return this.#isSecure ? `__Host-${name}` : name;
  }
}
