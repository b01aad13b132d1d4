import { lookup as dnsLookup } from 'node:dns';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import {
  type BodyWatch,
  type BoundSecret,
  type OutboundRequest,
  type OutboundResponse,
  StepError,
} from '@millrace/core';
import type { Agent, Dispatcher, request as sendRequest } from 'undici';
import { version } from '../ground/version.ts';
import { type AddressPolicy, refusal } from './address-policy.ts';
import { readBody } from './body.ts';
import { redirected, redirectStatuses } from './redirect.ts';

/** The one way out of the service: every connection that it makes by itself is made here. */
export interface OutboundClient {
  /**
   * Sends a request and follows redirects.
   * @throws StepError http_blocked, http_connection, http_too_large, config; what the signal's abort causes too
   */
  send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse>;
  /**
   * The same with secrets, which are sent to their origin and to no other: a request that begins elsewhere is refused,
   * a redirect that leads elsewhere is followed without them, and so is one that leads back from there.
   * @throws as send
   */
  sendSecret(
    request: OutboundRequest,
    secret: BoundSecret,
    signal: AbortSignal,
    watch?: BodyWatch,
  ): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** As many as browsers and fetch follow before they call it a loop is 20; five serve every honest service. */
const maxRedirects = 5;
/** Milliseconds to a connection; after that another try is likelier to help than more patience. */
const connectTimeoutMs = 10_000;

class Blocked extends Error {}

/** Makes the client. What it sends with is loaded for the first request: a service that sends none does without. */
export function createOutboundClient(policy: AddressPolicy): OutboundClient {
  let opened: Way | null = null;
  const way = (): Way => {
    opened ??= openWay(policy);
    return opened;
  };
  return {
    send: async (request, signal) => follow({ ...way(), policy, signal, secret: null, watch: unwatched }, request),
    async sendSecret(request, secret, signal, watch = unwatched) {
      if (parseUrl(request.url).origin !== secret.origin) throw foreignSecret();
      return follow({ ...way(), policy, signal, secret, watch }, request);
    },
    async close() {
      await opened?.agent.close();
    },
  };
}

/** Unlike `import()` it tries again what could not be loaded, as when no file could be opened for a moment. */
const require = createRequire(import.meta.url);

/** What requests are sent with. */
interface Way {
  readonly agent: Agent;
  readonly sendRequest: typeof sendRequest;
}

function openWay(policy: AddressPolicy): Way {
  const { Agent, buildConnector, request }: typeof import('undici') = require('undici');
  const agent = new Agent({
    connect: (options, callback) => {
      // A connector of its own for each connection: the resolver's check needs to know the port.
      const lookup = checkedLookup(policy, portOf(options));
      buildConnector({ lookup, timeout: connectTimeoutMs })(options, callback);
    },
    // The step's own time limit ends a slow answer; undici's defaults would end it sooner in other words.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, sendRequest: request };
}

interface Trip extends Way {
  readonly policy: AddressPolicy;
  readonly signal: AbortSignal;
  /** What is sent besides, as long as the trip is at home. */
  readonly secret: BoundSecret | null;
  /** Of the last answer; of none that leads on. */
  readonly watch: BodyWatch;
}

const unwatched: BodyWatch = () => null;

/** The last answer. A foreign server that leads back home chooses the address there: it gets no secret either. */
async function follow(trip: Trip, first: OutboundRequest): Promise<OutboundResponse> {
  const home = parseUrl(first.url).origin;
  let request = first;
  let isFromHome = true;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const url = parseUrl(request.url);
    isFromHome &&= url.origin === home;
    const { response, location } = await hop(isFromHome ? trip : { ...trip, secret: null }, request, url);
    if (location === null) return { ...response, url: url.href, isFromHome };
    request = redirected(request, url, { location, status: response.status });
    refuseLeak(trip, new URL(request.url), location);
  }
  throw new StepError('http_connection', `The server redirected more than ${maxRedirects} times.`);
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null)
    throw new StepError('config', 'The URL is not valid: it needs a scheme, e.g. https://, and a host.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new StepError('http_blocked', `URLs must begin with http:// or https://, not ${url.protocol}//.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new StepError('config', 'A URL must not hold a user name or password: send an authorization header.');
  }
  return url;
}

async function hop(
  trip: Trip,
  request: OutboundRequest,
  url: URL,
): Promise<{ response: Pick<OutboundResponse, 'status' | 'headers' | 'body'>; location: string | null }> {
  checkLiteral(trip.policy, url);
  try {
    const answer = await trip.sendRequest(addressFor(trip, url), {
      dispatcher: trip.agent,
      method: request.method as Dispatcher.HttpMethod,
      headers: headersFor(trip, request, url),
      body: bytesOf(request.body),
      signal: trip.signal,
    });
    const headers = flatten(answer.headers);
    const location = redirectStatuses.has(answer.statusCode) ? (headers.location ?? null) : null;
    const status = answer.statusCode;
    const body = await readBody(answer.body, headers, location === null ? trip.watch({ status, headers }) : null);
    return { response: { status, headers, body }, location };
  } catch (error) {
    throw stepError(error, url);
  }
}

/** With `addressFor` the one place where a secret meets an address: every hop of a trip asks here. */
function headersFor({ secret }: Trip, { headers }: OutboundRequest, url: URL): Readonly<Record<string, string>> {
  const sent = secret !== null && secret.origin === url.origin ? { ...headers, ...secret.headers } : headers;
  const isNamed = Object.keys(sent).some((name) => name.toLowerCase() === 'user-agent');
  return isNamed ? sent : { 'user-agent': `Millrace/${version}`, ...sent };
}

function bytesOf(body: OutboundRequest['body']): string | Buffer | null {
  if (typeof body === 'string' || body === null) return body;
  return Buffer.concat(
    body.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.base64, 'base64'))),
  );
}

/** A copy: nothing else that knows the address learns the secret in its query. */
function addressFor({ secret }: Trip, url: URL): URL {
  const query = secret?.origin === url.origin ? secret.query : undefined;
  // A server that leads on with the query that it was sent has the parameter there already.
  if (query === undefined || url.searchParams.has(query.name)) return url;
  const address = new URL(url);
  const parameter = `${encodeURIComponent(query.name)}=${encodeURIComponent(query.value.toWellFormed())}`;
  address.search = url.search === '' ? parameter : `${url.search}&${parameter}`;
  return address;
}

/**
 * A server that leads on to another with the secret that it was sent would give it to that one. The name of a parameter
 * says nothing: others have a `token` of their own. A host that looks like a number is another one in an address.
 */
function refuseLeak({ secret }: Trip, to: URL, location: string): void {
  if (secret === null || to.origin === secret.origin) return;
  const { query } = secret;
  const isRepeated = query !== undefined && to.searchParams.getAll(query.name).includes(query.value);
  if (!isRepeated && ![location, to.href].some((address) => secret.isIn(address))) return;
  const message = 'The server redirected to another origin with the secret in the address, where it is not sent.';
  throw new StepError('http_blocked', message);
}

function foreignSecret(): StepError {
  return new StepError('http_blocked', 'The secret was entered for another address than this one.');
}

/** Undici asks no resolver for a literal address, so the policy looks at it here. */
function checkLiteral(policy: AddressPolicy, url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const reason = isIP(host) === 0 ? null : refusal(policy, { address: host, port: portOf(url), name: null });
  if (reason !== null) throw blocked(url, reason);
}

/** Of a URL or a connection: both leave the usual port of their protocol out. */
function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function blocked(url: URL, reason: string): StepError {
  return new StepError('http_blocked', `Requests to ${url.host} are not allowed: ${reason}.`);
}

/** Resolves a name and refuses it if any of its addresses is refused: the address checked is the one connected to. */
function checkedLookup(policy: AddressPolicy, port: number): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const reasons = addresses
        .map(({ address }) => refusal(policy, { address, port, name: hostname }))
        .filter((reason) => reason !== null);
      const [reason] = reasons;
      if (reason !== undefined) return callback(new Blocked(reason), []);
      callback(null, addresses);
    });
  };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Says what went wrong without repeating what a socket or a resolver said, which can name internal addresses. */
function stepError(error: unknown, url: URL): Error {
  if (error instanceof StepError) return error;
  if (error instanceof Blocked) return blocked(url, error.message);
  if (!(error instanceof Error))
    return new StepError('http_connection', `No answer from ${url.host}.`, { retryable: true });
  if (error.name === 'AbortError') return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_INVALID_ARG') {
    return new StepError('config', `The request to ${url.host} is not valid: check its method and headers.`);
  }
  const reason = connectionReasons.get(code) ?? 'the connection failed';
  return new StepError('http_connection', `No answer from ${url.host}: ${reason}.`, { retryable: true });
}

const connectionReasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there'],
  ['ENOTFOUND', 'the name does not exist'],
  ['EAI_AGAIN', 'the name could not be resolved'],
  ['ECONNRESET', 'the connection was closed'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection took too long'],
]);
