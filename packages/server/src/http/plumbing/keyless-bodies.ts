import { Transform } from 'node:stream';
import { Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** In bytes: what each body may have in any case, and what all may hold together of what they have beyond that. */
interface KeylessLimits {
  readonly each: number;
  readonly together: number;
}

/** Two thousand connections with so much hold 128 MiB. */
const maxKeylessBytes = 64 * 1024;
const maxKeylessTogether = 64 * 1024 * 1024;
const defaultLimits: KeylessLimits = { each: maxKeylessBytes, together: maxKeylessTogether };

/** Slow senders are cut off after 30 s, so room comes sooner. */
const retryAfter = 10;

/**
 * Bounds the memory that callers without a key can fill. Signed webhooks, callbacks and logins are read before it is known
 * whether they are good, and each may be megabytes long; small ones are always read.
 */
export function addKeylessBodies(app: FastifyInstance, { each, together }: KeylessLimits = defaultLimits): void {
  let held = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.caller !== null || !mayExceed(request, each)) return done(null, payload);
    let received = 0;
    let own = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        received += chunk.length;
        const beyond = Math.max(0, received - each);
        held += beyond - own;
        own = beyond;
        if (own === 0 || held <= together) return next(null, chunk);
        reply.header('connection', 'close');
        next(tooMuch());
      },
    });
    // The body is needed until the answer; without one, until the sender is gone.
    reply.raw.once('close', () => {
      held -= own;
      meter.destroy();
    });
    payload.once('error', (error) => meter.destroy(error)).pipe(meter);
    done(null, meter);
  });
}

/** Whether a body may be longer than so many bytes; without Content-Length any may. */
function mayExceed({ headers }: FastifyRequest, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bytes;
}

function tooMuch(): Problem {
  return new Problem('overloaded', 'Too many large bodies are being read for callers without an API key. Try again.', {
    retryAfter,
  });
}
