import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CancelTimer, Timers } from '../../ground/clock.ts';

type Socket = IncomingMessage['socket'];

/** How much of a rejected body is still read, after the answer. */
interface DrainLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Reading a body up to this size costs less than a new connection, so Node reads it and the connection stays open. */
const maxUnreadBytes = 64 * 1024;
/** More than twelve times the largest body of a webhook. Nothing of it is stored, so it costs bandwidth only. */
const maxDrainedBytes = 64 * 1024 * 1024;
/** As long as a whole request may take. */
const maxDrainMs = 30_000;

/**
 * Delivers answers that do not wait for the body, such as 401 and 413, to clients that send the whole body before they
 * read. Closing a connection with unread data resets it, and the client would lose the answer. So the answer is sent, the
 * service's side of the connection is closed, and the rest of the body is discarded within limits.
 *
 * A body that a client announces with `Expect: 100-continue` is requested only when it is to be read.
 */
export function addUnreadBodies(
  app: FastifyInstance,
  timers: Pick<Timers, 'after'>,
  limits: DrainLimits = { bytes: maxDrainedBytes, ms: maxDrainMs },
): void {
  const draining = new Map<Socket, CancelTimer>();
  /** Requests whose client waits for `100 Continue`. */
  const unrequested = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    unrequested.add(request);
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const isLarge = announcedLength(request) > request.routeOptions.bodyLimit;
    if (!isLarge && unrequested.delete(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    // After the answer the client may or may not send a body that was not requested: no other request can follow it.
    const isUnread = unrequested.has(request.raw) || (!request.raw.readableEnded && mayBeLarge(request));
    if (isUnread) {
      reply.header('connection', 'close');
      const { socket } = request.raw;
      // Node calls this after the last answer of a connection. Requests that tests inject have no socket.
      if ('destroySoon' in socket) socket.destroySoon = () => drain(request.raw, { draining, timers, limits });
    }
    done();
  });
  app.addHook('preClose', (done) => {
    for (const [socket, cancel] of draining) {
      cancel();
      socket.destroy();
    }
    done();
  });
}

interface Drain {
  /** With the timer that ends each of them. */
  readonly draining: Map<Socket, CancelTimer>;
  readonly timers: Pick<Timers, 'after'>;
  readonly limits: DrainLimits;
}

/** Closes a connection for writing, and discards what the client sends until it closes its side or a limit is reached. */
function drain(request: IncomingMessage, { draining, timers, limits }: Drain): void {
  const { socket } = request;
  if (socket.destroyed) return;
  let bytes = 0;
  const cancel = timers.after(limits.ms, () => socket.destroy());
  draining.set(socket, cancel);
  socket.once('close', () => {
    cancel();
    draining.delete(socket);
  });
  // Without the parser's listener nothing that follows becomes another request. The new one comes first, because adding a
  // listener makes Node read through the socket again.
  const parsers = socket.listeners('data');
  socket.on('data', ({ length }) => {
    bytes += length;
    if (bytes > limits.bytes) socket.destroy();
  });
  for (const parser of parsers) socket.off('data', parser as (chunk: Buffer) => void);
  socket.end();
  // Either may have paused reading while the body was being parsed.
  request.unpipe();
  request.resume();
  socket.resume();
}

/** The length of a body by its header; 0 without a header. */
function announcedLength({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

/** True for a body that is too long to be read for nothing; without Content-Length it may have any length. */
function mayBeLarge(request: FastifyRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || announcedLength(request) > maxUnreadBytes;
}
