import type { ApiKey } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Keys that were warned of; past it the one warned of first may be warned of again. */
const maxNoted = 10_000;

/** Warns of keys that come in addresses, which proxies and browsers write down. Once for each key. */
export class QueryKeys {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #noted = new Set<number>();

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Looks whether a request that was let in has its key in the address. */
  note(request: FastifyRequest, parameter: 'api_key' | 'token', key: ApiKey): void {
    const query = request.query as Readonly<Record<string, unknown>>;
    if (query[parameter] === undefined || this.#noted.has(key.id)) return;
    const oldest = this.#noted.values().next().value;
    if (this.#noted.size >= maxNoted && oldest !== undefined) this.#noted.delete(oldest);
    this.#noted.add(key.id);
    const words = `this API key came in an address (?${parameter}=), where logs keep it: send it in the Authorization header`;
    this.#log.warn({ keyId: key.id, keyPrefix: key.prefix }, words);
  }
}
