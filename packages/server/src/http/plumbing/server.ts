import fastifySwagger from '@fastify/swagger';
import type { Catalogue } from '@millrace/core';
import Fastify, {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Timers } from '../../ground/clock.ts';
import { maxTokenLength } from '../../services/executions/wait-links.ts';
import { addBodyParser } from '../bodies/body-parser.ts';
import { addHeldBodies } from '../connections/held-bodies.ts';
import { addIdleConnections } from '../connections/idle-connections.ts';
import { addRequestOrder } from '../connections/request-order.ts';
import { addSlowReaders } from '../connections/slow-readers.ts';
import { addUnreadBodies } from '../connections/unread-bodies.ts';
import { openapiOptions } from '../openapi/openapi.ts';
import { answerError } from './errors.ts';
import { addNotFound } from './not-found.ts';
import { addOriginChecks, type Site } from './origin.ts';
import { addRouteRecord, type RouteRecord } from './route-record.ts';

/** The dependencies of the HTTP server. */
export interface ServerDeps {
  readonly log: Logger;
  /** The version of the service, for `/health/` and the OpenAPI document. */
  readonly version: string;
  /** The components, whose config schemas are in the OpenAPI document. */
  readonly catalogue: Catalogue;
  /** Maximum bytes of an API body. */
  readonly maxBody: number;
  /** Trusted proxies, whose header for the client address is used. Their other headers (host, protocol) are ignored. */
  readonly trustProxy?: readonly string[];
  readonly timeouts?: Timeouts;
  readonly timers: Pick<Timers, 'after' | 'soon'>;
  readonly routeRecord?: RouteRecord;
  readonly site: Site;
  /** Adds the hook that sets `request.caller` for every route without `auth: 'none'`. */
  readonly authenticate: (app: FastifyInstance) => void;
  /** Adds the endpoints. */
  readonly routes: (app: FastifyInstance) => void | Promise<void>;
}

/**
 * Timeouts in milliseconds. Node swaps the header timeout and the request timeout if the first is larger, and checks
 * connections only every 30 s by default. Connections stay open for longer than proxies keep idle ones, most often 60 s:
 * a client that sends a request while its connection is being closed gets no answer.
 */
const defaultTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 75_000,
};

/** Timeouts for clients, in milliseconds. */
export type Timeouts = typeof defaultTimeouts;

/**
 * Maximum open sockets: each costs about 20 kB. A service for one team has a few hundred callers; the rest is room for
 * slow clients until their connections time out.
 */
const maxConnections = 2_000;

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/**
 * Routes validate requests themselves, in the order of the specification; tests validate the responses. Passed as an
 * option so that fastify loads no compilers of its own. The type requires properties that only ajv has.
 */
const noCompilers = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
} as unknown as CompilersFactory;

/** Builds the HTTP server with its endpoints; it does not listen yet. */
export function buildServer(deps: ServerDeps): FastifyInstance {
  const { log, timeouts = defaultTimeouts } = deps;
  const app: FastifyInstance = Fastify({
    loggerInstance: warningsOf(log) as FastifyBaseLogger,
    // Fastify's own log lines contain the query, which may contain a key.
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request would cost more than most requests.
    childLoggerFactory: () => log as FastifyBaseLogger,
    bodyLimit: deps.maxBody,
    trustProxy: deps.trustProxy?.length ? [...deps.trustProxy] : false,
    requestTimeout: timeouts.requestTimeout,
    keepAliveTimeout: timeouts.keepAliveTimeout,
    http: timeouts,
    // The longest parameter of a path.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxTokenLength },
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: noCompilers },
  });
  app.server.maxConnections = maxConnections;
  app.setErrorHandler(answerError);
  if (deps.routeRecord !== undefined) addRouteRecord(app, deps.routeRecord);
  addRequestOrder(app);
  addNotFound(app);
  addBodyParser(app);
  addSafeHeaders(app);
  if (log.isLevelEnabled('debug')) addRequestLog(app, log);
  addOriginChecks(app, deps.site);
  deps.authenticate(app);
  addHeldBodies(app);
  addUnreadBodies(app, deps.timers);
  addIdleConnections(app, deps.timers);
  addSlowReaders(app, deps);
  app.register(fastifySwagger, openapiOptions(deps.version, deps.catalogue));
  app.register(async (api) => deps.routes(api));
  return app;
}

/** Without the line that Fastify writes when it listens: the greeting says the same to a person. */
function warningsOf(log: Logger): Logger {
  return log.isLevelEnabled('info') ? log.child({}, { level: 'warn' }) : log;
}

/** A browser must not guess content types, cache responses, or send the URL to other pages. */
function addSafeHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer');
    done();
  });
}

/** The pattern of the route, never the URL itself. */
function addRequestLog(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    log.debug(
      { method, route: routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    );
    done();
  });
}

const clientErrors = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);

/** Responds to requests that are not valid HTTP. */
function answerClientError(error: ConnectionError, socket: Parameters<typeof isOpen>[0]): void {
  if (error.code === 'ECONNRESET' || !isOpen(socket)) return;
  const status = clientErrors.get(error.code) ?? '400 Bad Request';
  const body = JSON.stringify({ detail: `${status.slice(4)}.` });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

interface ClientSocket {
  readonly destroyed: boolean;
  readonly writable: boolean;
  end(text: string, callback: () => void): unknown;
  destroy(): unknown;
}

function isOpen(socket: ClientSocket): boolean {
  return socket.writable && !socket.destroyed;
}
