import { Transform } from 'node:stream';
import { Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Called when the body is no longer in memory although the answer is not sent yet. */
    releaseBody: () => void;
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
  const held = { keyless: 0, together: 0 };
  app.decorateRequest('releaseBody', () => undefined);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!mayExceed(request, limits.each)) return done(null, payload);
    const isKeyless = request.caller === null;
    let received = 0;
    let own = 0;
    const hold = (bytes: number): void => {
      held.together += bytes - own;
      if (isKeyless) held.keyless += bytes - own;
      own = bytes;
    };
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        received += chunk.length;
        hold(Math.max(0, received - limits.each));
        const isTooMuch = held.together > limits.together || (isKeyless && held.keyless > limits.keyless);
        if (own === 0 || !isTooMuch) return next(null, chunk);
        reply.header('connection', 'close');
        next(tooMuch(isKeyless));
      },
    });
    request.releaseBody = () => hold(0);
    // The body is needed until the response is sent, or until the sender disconnects.
    reply.raw.once('close', () => {
      hold(0);
      meter.destroy();
    });
    payload.once('error', (error) => meter.destroy(error)).pipe(meter);
    done(null, meter);
  });
}

/** Whether a body may be longer than this; without Content-Length it may. */
function mayExceed({ headers }: FastifyRequest, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bytes;
}

function tooMuch(isKeyless: boolean): Problem {
  const which = isKeyless ? 'large request bodies without an API key' : 'large request bodies';
  return new Problem('overloaded', `Too many ${which} at the same time. Try again later.`, { retryAfter });
}
