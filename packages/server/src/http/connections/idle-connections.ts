import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { CancelTimer, Timers } from '../../ground/clock.ts';

/** Open connections from which on idle ones are closed: a quarter of the places is left for new ones. */
const maxWithIdle = 1500;
/** Milliseconds between two times: to find the idle ones, all are looked at. */
const pauseMs = 1000;

/**
 * Closes connections that wait for a request while many are open. They may stay open for long otherwise, because a client
 * whose request meets the close of its connection gets an error instead of an answer.
 */
export function addIdleConnections(app: FastifyInstance, timers: Pick<Timers, 'after'>, most = maxWithIdle): void {
  let open = 0;
  let cancel: CancelTimer | null = null;
  const close = (): void => {
    cancel = null;
    if (open <= most) return;
    app.server.closeIdleConnections();
    cancel = timers.after(pauseMs, close);
  };
  app.server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (cancel === null) close();
  });
  app.addHook('onClose', (_app, done) => {
    cancel?.();
    done();
  });
}
