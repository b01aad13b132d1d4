import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Handles the requests of a connection one after the other. A client may send hundreds of them at once; handled
 * together, they would delay all others, and their answers would wait in memory.
 */
export function addRequestOrder(app: FastifyInstance): void {
  const last = new WeakMap<Socket, ServerResponse>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const before = last.get(socket);
    last.set(socket, reply.raw);
    if (before === undefined || before.closed) return done();
    before.once('close', () => {
      // Nobody receives the answers to the rest.
      if (!socket.destroyed) done();
    });
  });
}
