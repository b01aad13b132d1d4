import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Where browsers reach the service. */
export interface Site {
  /** Host names without ports that lead here; null where any may, as on a server in a network. */
  readonly hosts: ReadonlySet<string> | null;
  /** The origin of the public address: a proxy may name another host to the service than the browser named to it. */
  readonly publicOrigin: string | null;
}

/** Names of this very machine. */
const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** Whether a service that listens there is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || host.startsWith('127.');
}

/** The site of a service that listens on `host`, and is reached at `publicUrl` where that is another address. */
export function siteOf(host: string, publicUrl: string | null): Site {
  const url = publicUrl === null ? null : new URL(publicUrl);
  const names = [...loopbackNames, host.toLowerCase(), ...(url === null ? [] : [url.hostname])];
  return { hosts: isLoopback(host) ? new Set(names) : null, publicOrigin: url?.origin ?? null };
}

/** Methods that change nothing: a foreign page may make a browser send them, but reads nothing without CORS. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps hostile web pages away from a service on the user's own machine: a name that an attacker points at this
 * address is not ours (421), and another site's page must not change anything (403), but where the address itself is
 * the secret that allows it.
 */
export function addOriginChecks(app: FastifyInstance, site: Site): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { hosts } = site;
    if (hosts !== null && !hosts.has(nameOf(request.headers.host ?? ''))) {
      reply.code(421).send({ detail: 'This service does not answer to that host name.' });
    } else if (!safeMethods.has(request.method) && !isOwnPage(site, request) && !isFromAnywhere(request)) {
      reply.code(403).send({ detail: 'Requests from other web sites are not accepted.' });
    } else done();
  });
}

function isFromAnywhere({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.fromAnywhere === true;
}

/** Whether the page that sent this is our own, or it was no page at all. For WebSocket upgrades too. */
export function isOwnPage(site: Pick<Site, 'publicOrigin'>, { headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const origin = headers.origin?.toLowerCase();
  if (origin === undefined || origin === site.publicOrigin) return true;
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1] === headers.host?.toLowerCase();
}

/** A host without its port: `[::1]:7411` is `[::1]`. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
