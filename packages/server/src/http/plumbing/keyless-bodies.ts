import { Transform } from 'node:stream';
import { Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** In bytes: the size that each body may always have, and the total of what exceeds it in all bodies. */
interface KeylessLimits {
  readonly each: number;
  readonly together: number;
}

/** 128 MiB for two thousand connections. */
const maxKeylessBytes = 64 * 1024;
const maxKeylessTogether = 64 * 1024 * 1024;
const defaultLimits: KeylessLimits = { each: maxKeylessBytes, together: maxKeylessTogether };

/** Slow senders are disconnected after 30 s, so memory is free sooner. */
const retryAfter = 10;

/**
 * Limits the memory that callers without a key can use. The bodies of signed webhooks, callbacks and logins are read
 * before the request is authenticated, and each may have several megabytes; small ones are always read.
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
    // The body is needed until the response is sent, or until the sender disconnects.
    reply.raw.once('close', () => {
      held -= own;
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

function tooMuch(): Problem {
  return new Problem(
    'overloaded',
    'Too many large request bodies without an API key at the same time. Try again later.',
    {
      retryAfter,
    },
  );
}
