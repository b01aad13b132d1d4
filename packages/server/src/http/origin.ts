import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Methods that change nothing: a foreign page may make a browser send them, but reads nothing without CORS. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps hostile web pages away from a service on the user's own machine: a name that an attacker points at this
 * address is not ours (421), and another site's page must not change anything (403).
 * @param allowedHosts names without ports; null where any name may lead here, as behind a proxy
 */
export function addOriginChecks(app: FastifyInstance, allowedHosts: ReadonlySet<string> | null): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (allowedHosts !== null && !allowedHosts.has(nameOf(request.headers.host ?? ''))) {
      reply.code(421).send({ detail: 'This service does not answer to that host name.' });
    } else if (!safeMethods.has(request.method) && !isSameOrigin(request)) {
      reply.code(403).send({ detail: 'Requests from other web sites are not accepted.' });
    } else done();
  });
}

/** Whether the page that sent this is our own, or it was no page at all. For WebSocket upgrades too. */
export function isSameOrigin({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  if (headers.origin === undefined) return true;
  return /^https?:\/\/([^/]+)$/i.exec(headers.origin)?.[1]?.toLowerCase() === headers.host?.toLowerCase();
}

/** A host without its port: `[::1]:7411` is `[::1]`. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
