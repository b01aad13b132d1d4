import type { FastifyReply, FastifyRequest } from 'fastify';

/** The cookie that holds the key of a browser's session. Scripts of pages cannot read it. */
export class SessionCookie {
  readonly #isSecure: boolean;

  /** @param isSecure whether browsers reach the service by HTTPS */
  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  /**
   * The key in the cookie of a request. Null if there is none, if there are several, or if a page of another origin
   * sent the request: another port of the same host is the same site for a browser, so it sends the cookie too.
   */
  read(request: FastifyRequest): string | null {
    const { cookie, 'sec-fetch-site': site } = request.headers;
    if (cookie === undefined || !(site === undefined || site === 'same-origin' || site === 'none')) return null;
    const name = this.#nameFor(request);
    const found = cookie.split(';').flatMap((pair) => {
      const [key, value = ''] = pair.trim().split('=', 2);
      return key === name ? [value] : [];
    });
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** Sets the cookie. @param seconds how long the browser keeps it */
  set(
    request: FastifyRequest,
    reply: FastifyReply,
    { key, seconds }: { readonly key: string; readonly seconds: number },
  ) {
    const attributes = [
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      `Max-Age=${seconds}`,
      ...(this.#isSecure ? ['Secure'] : []),
    ];
    reply.header('set-cookie', [`${this.#nameFor(request)}=${key}`, ...attributes].join('; '));
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.set(request, reply, { key: '', seconds: 0 });
  }

  /** Contains the port: cookies ignore it, so two services on one host would overwrite each other's. */
  #nameFor({ headers: { host = '' } }: FastifyRequest): string {
    const port = /:(\d+)$/.exec(host)?.[1];
    const name = port === undefined ? 'millrace_session' : `millrace_session_${port}`;
    // A browser accepts a cookie with this prefix only from this host itself, over TLS.
    return this.#isSecure ? `__Host-${name}` : name;
  }
}
