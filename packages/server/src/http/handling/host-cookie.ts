import type { FastifyReply, FastifyRequest } from 'fastify';

interface CookieOptions {
  /** The name without prefix and port. */
  readonly name: string;
  /** Whether browsers reach the service by HTTPS. */
  readonly isSecure: boolean;
}

/** A cookie that scripts of pages cannot read and that browsers send to this host only. */
export class HostCookie {
  readonly #options: CookieOptions;

  constructor(options: CookieOptions) {
    this.#options = options;
  }

  /** The values in a request; several are ambiguous, because pages of other ports and parent domains can set them. */
  read({ headers }: FastifyRequest): readonly string[] {
    const start = `${this.#nameFor(headers.host)}=`;
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  }

  /** @param ms how long the browser keeps the cookie; with 0 it deletes the cookie */
  send({ headers }: FastifyRequest, reply: FastifyReply, { value, ms }: { value: string; ms: number }): void {
    const parts = [
      `${this.#nameFor(headers.host)}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      `Max-Age=${Math.floor(ms / 1000)}`,
      ...(this.#options.isSecure ? ['Secure'] : []),
    ];
    reply.header('set-cookie', parts.join('; '));
  }

  /** Contains the port, which cookies ignore: two services on one host would overwrite each other's cookie. */
  #nameFor(host = ''): string {
    const [, port] = /:(\d{1,5})$/.exec(host) ?? [];
    const name = port === undefined ? this.#options.name : `${this.#options.name}_${port}`;
    // Browsers accept a cookie with this prefix only over TLS, and from this host itself.
    return this.#options.isSecure ? `__Host-${name}` : name;
  }
}
