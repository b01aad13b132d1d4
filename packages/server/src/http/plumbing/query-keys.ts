import type { ApiKey } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Maximum number of remembered keys; beyond it, the oldest one may be logged again. */
const maxNoted = 10_000;

/** Logs a warning, once per key, about API keys in URLs, which proxies and browsers store. */
export class QueryKeys {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #noted = new Set<number>();

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Checks whether an accepted request has its key in the URL. */
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
