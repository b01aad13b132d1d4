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
import { maxTokenLength } from '../../services/executions/wait-links.ts';
import { openapiOptions } from '../openapi/openapi.ts';
import { addBodyParser } from './body-parser.ts';
import { answerError } from './errors.ts';
import { addKeylessBodies } from './keyless-bodies.ts';
import { addNotFound } from './not-found.ts';
import { addOriginChecks, type Site } from './origin.ts';

/** What the HTTP server is made of. */
export interface ServerDeps {
  readonly log: Logger;
  /** Of the service, as `/health/` and the OpenAPI document show it. */
  readonly version: string;
  /** The components, whose config schemas are in the OpenAPI document. */
  readonly catalogue: Catalogue;
  /** Bytes of an API body. */
  readonly maxBody: number;
  /** Peers whose word counts on who called them; of what else they forward (host, protocol) nothing is read. */
  readonly trustProxy?: readonly string[];
  readonly timeouts?: Timeouts;
  readonly site: Site;
  /** Adds the hook that sets `request.caller`, for every route that does not say `auth: 'none'`. */
  readonly authenticate: (app: FastifyInstance) => void;
  /** Adds the endpoints. */
  readonly routes: (app: FastifyInstance) => void | Promise<void>;
}

/**
 * Time limits in milliseconds. Node exchanges the header and the request time-out when the first is the larger, and
 * looks at connections only every 30 s unless told otherwise.
 */
const defaultTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 5_000,
};

/** How long clients may take, in milliseconds. */
export type Timeouts = typeof defaultTimeouts;

/**
 * Sockets at once: each costs some 20 kB. A service for one team has some hundred callers; the rest is room for as many
 * slow ones as come in the time in which the first of them are closed.
 */
const maxConnections = 2_000;

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/**
 * A route checks its own schemas, in the order of the interface; what it answers is checked in tests. As an option, and
 * not set afterwards, so that fastify does not load compilers of its own. Its type asks for what only ajv's have.
 */
const noCompilers = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
} as unknown as CompilersFactory;

/** Builds the HTTP server with its endpoints, listening nowhere yet. */
export function buildServer(deps: ServerDeps): FastifyInstance {
  const { log, timeouts = defaultTimeouts } = deps;
  const app: FastifyInstance = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // Fastify's own lines show the query, which may hold a key.
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would cost more than most requests.
    childLoggerFactory: (logger) => logger,
    bodyLimit: deps.maxBody,
    trustProxy: deps.trustProxy?.length ? [...deps.trustProxy] : false,
    requestTimeout: timeouts.requestTimeout,
    keepAliveTimeout: timeouts.keepAliveTimeout,
    http: timeouts,
    // No other part of an address is as long.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxTokenLength },
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: noCompilers },
  });
  app.server.maxConnections = maxConnections;
  app.setErrorHandler(answerError);
  addNotFound(app);
  addBodyParser(app);
  addSafeHeaders(app);
  if (log.isLevelEnabled('debug')) addRequestLog(app, log);
  addOriginChecks(app, deps.site);
  deps.authenticate(app);
  addKeylessBodies(app);
  app.register(fastifySwagger, openapiOptions(deps.version, deps.catalogue));
  app.register(async (api) => deps.routes(api));
  return app;
}

/** A browser must not guess types, keep answers, or tell the next page where it was. */
function addSafeHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer');
    done();
  });
}

/** The route's pattern, never the address itself. */
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

/** Answers what is not even HTTP. */
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
