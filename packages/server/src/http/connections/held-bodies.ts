import { Transform } from 'node:stream';
import { Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Called when the body is no longer in memory although the answer is not sent yet. */
    releaseBody: () => void;
    /**
     * Counts the bytes of a body that was decoded, besides those that were received.
     * @throws Problem `overloaded`
     */
    holdBody: (bytes: number) => void;
  }
}

/** In bytes. */
interface BodyLimits {
  /** The size that each body may always have. */
  readonly each: number;
  /** The total of what exceeds it in the bodies of callers without a key. */
  readonly keyless: number;
  /** The same for the bodies of all callers. */
  readonly together: number;
}

/** 128 MiB for two thousand connections. */
const maxSmallBodyBytes = 64 * 1024;
const maxKeylessTogether = 64 * 1024 * 1024;
/** Thirty-eight of the largest bodies. */
const maxBodiesTogether = 192 * 1024 * 1024;
const defaultLimits: BodyLimits = {
  each: maxSmallBodyBytes,
  keyless: maxKeylessTogether,
  together: maxBodiesTogether,
};

/** Slow senders are disconnected after 30 s, so memory is free sooner. */
const retryAfter = 10;

/**
 * Limits the memory of request bodies that are being received or used. The bodies of signed webhooks, callbacks and
 * logins are read before the request is authenticated, so those have a lower limit; small bodies are always read.
 */
export function addHeldBodies(app: FastifyInstance, limits: BodyLimits = defaultLimits): void {
  const totals = { keyless: 0, together: 0 };
  app.decorateRequest('releaseBody', () => undefined);
  app.decorateRequest('holdBody', () => undefined);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!mayExceed(request, limits.each)) return done(null, payload);
    const isKeyless = request.caller === null;
    const held = new HeldBytes(totals, limits, isKeyless);
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        if (held.add(chunk.length)) return next(null, chunk);
        reply.header('connection', 'close');
        next(tooMuch(isKeyless));
      },
    });
    request.releaseBody = () => held.release();
    request.holdBody = (bytes) => {
      if (!held.add(bytes)) throw tooMuch(isKeyless);
    };
    // The body is needed until the response is sent, or until the sender disconnects.
    reply.raw.once('close', () => {
      held.release();
      meter.destroy();
    });
    payload.once('error', (error) => meter.destroy(error)).pipe(meter);
    done(null, meter);
  });
}

interface Totals {
  keyless: number;
  together: number;
}

/** The bytes of one request, received and decoded, that count towards the totals. */
class HeldBytes {
  readonly #totals: Totals;
  readonly #limits: BodyLimits;
  readonly #isKeyless: boolean;
  #all = 0;
  #counted = 0;

  constructor(totals: Totals, limits: BodyLimits, isKeyless: boolean) {
    this.#totals = totals;
    this.#limits = limits;
    this.#isKeyless = isKeyless;
  }

  /** False if the totals do not allow these bytes. The first `each` bytes of a request are always allowed. */
  add(bytes: number): boolean {
    this.#all += bytes;
    this.#count(Math.max(0, this.#all - this.#limits.each));
    const { keyless, together } = this.#totals;
    const isTooMuch = together > this.#limits.together || (this.#isKeyless && keyless > this.#limits.keyless);
    return this.#counted === 0 || !isTooMuch;
  }

  release(): void {
    this.#count(0);
  }

  #count(bytes: number): void {
    this.#totals.together += bytes - this.#counted;
    if (this.#isKeyless) this.#totals.keyless += bytes - this.#counted;
    this.#counted = bytes;
  }
}

/** Whether a body may be longer than this; without Content-Length or when it is decoded, it may. */
function mayExceed({ headers }: FastifyRequest, bytes: number): boolean {
  const isOpen = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
  return isOpen || Number(headers['content-length'] ?? 0) > bytes;
}

function tooMuch(isKeyless: boolean): Problem {
  const which = isKeyless ? 'large request bodies without an API key' : 'large request bodies';
  return new Problem('overloaded', `Too many ${which} at the same time. Try again later.`, { retryAfter });
}
