import { Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The addresses at which browsers reach the service. */
export interface Site {
  /** Allowed host names without ports; null for any, as on a server in a network. */
  readonly hosts: ReadonlySet<string> | null;
  /** The origin of the public address: a proxy may send another host than the browser did. */
  readonly publicOrigin: string | null;
}

/** Host names of the local machine. */
const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** Whether a service that listens there can be reached only from the local machine. */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || host.startsWith('127.');
}

/** The site of a service that listens on `host`, and whose public address is `publicUrl` if that differs. */
export function siteOf(host: string, publicUrl: string | null): Site {
  const url = publicUrl === null ? null : new URL(publicUrl);
  const names = [...loopbackNames, host.toLowerCase(), ...(url === null ? [] : [url.hostname])];
  return { hosts: isLoopback(host) ? new Set(names) : null, publicOrigin: url?.origin ?? null };
}

/** Whether browsers reach the service by HTTPS. */
export function isHttps({ publicOrigin }: Pick<Site, 'publicOrigin'>): boolean {
  return publicOrigin?.startsWith('https:') === true;
}

/**
 * Methods without side effects: a foreign page can make a browser send them, but cannot read the response without CORS.
 */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Protects a service on the user's machine from malicious web pages: rejects host names that an attacker points at this
 * address (421) and changes from pages of other sites (403), except if the URL itself is the secret that allows them.
 */
export function addOriginChecks(app: FastifyInstance, site: Site): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { hosts } = site;
    if (hosts !== null && !hosts.has(nameOf(request.headers.host ?? ''))) {
      reply.code(421).send({ detail: 'This service does not answer to that host name.' });
    } else if (!safeMethods.has(request.method) && !isOwnPage(site, request) && !isFromAnywhere(request)) {
      done(foreignPage());
    } else done();
  });
}

function isFromAnywhere({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.fromAnywhere === true;
}

/** Whether the request comes from the service's own pages or from no page. Also for WebSocket upgrades. */
export function isOwnPage(site: Pick<Site, 'publicOrigin'>, { headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const origin = headers.origin?.toLowerCase();
  if (origin === undefined || origin === site.publicOrigin) return true;
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1] === headers.host?.toLowerCase();
}

/**
 * Whether a page of the service sent a request with a cookie, or a person opened the address. A browser also adds the
 * cookie to requests of pages on other ports of the host, because they are on the same site; only these headers, which
 * pages cannot change, distinguish them. Browsers send `Origin` with every request that can have side effects and with
 * every WebSocket, so it is required there.
 */
export function isSentByOwnPage(site: Site, request: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  const { origin, upgrade, 'sec-fetch-site': from } = request.headers;
  const isPassive = safeMethods.has(request.method) && upgrade === undefined;
  if (origin === undefined ? !isPassive : !isOwnPage(site, request)) return false;
  // Anybody in the network can change the pages of the unencrypted address.
  if (isHttps(site) && origin === site.publicOrigin?.replace(/^https/, 'http')) return false;
  // Not every browser sends this header with a WebSocket, and `Origin` is enough there.
  return upgrade !== undefined || from === undefined || from === 'same-origin' || from === 'none';
}

/** The error for a request that a page of another origin sent. */
export function foreignPage(): Problem {
  return new Problem('foreign_page', 'Requests from other web sites are not accepted.');
}

/** A host without its port: `[::1]` for `[::1]:7411`. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
