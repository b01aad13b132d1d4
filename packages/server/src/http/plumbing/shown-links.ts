import type { FastifyInstance } from 'fastify';
import type { LinkMasks } from '../../services/executions/link-masks.ts';

/**
 * Hides links that answer a step from callers who may not answer it, in the responses of all endpoints that need a key.
 * A tool of an agent may never answer one: questions are for people. A webhook returns what its workflow decides, so its caller gets the links in it.
 */
export function addShownLinks(app: FastifyInstance, linkMasks: LinkMasks): void {
  app.addHook('onSend', (request, _reply, payload: unknown, done) => {
    const { caller, routeOptions } = request;
    const isFor = caller !== null && (routeOptions.config.auth ?? 'key') === 'key';
    if (!isFor || typeof payload !== 'string') return done(null, payload);
    const shown = linkMasks.shownTo(caller.key === null ? null : caller.user, payload);
    if (typeof shown === 'string') return done(null, shown);
    shown.then((text) => done(null, text), done);
  });
}
