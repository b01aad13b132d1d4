import { isUtf8 } from 'node:buffer';
import { lookup as dnsLookup } from 'node:dns';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import {
  type BodyWatch,
  type BoundSecret,
  type OutboundRequest,
  type OutboundResponse,
  type SecretFill,
  StepError,
} from '@millrace/core';
import type { Agent, Dispatcher, request as sendRequest } from 'undici';
import { version } from '../ground/version.ts';
import { type AddressPolicy, rejection } from './address-policy.ts';
import { readBody } from './body.ts';
import { isDecodingError } from './content-decoder.ts';
import { HeldAnswers } from './held-answers.ts';
import { redirected, redirectStatuses } from './redirect.ts';

/** The only client for outgoing connections: every connection that the service opens itself is made here. */
export interface OutboundClient {
  /**
   * Sends a request and follows redirects.
   * @throws StepError http_blocked, http_connection, http_too_large, http_busy, config; what the signal's abort causes too
   */
  send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse>;
  /**
   * The same with secrets, which are sent only to their own origin: a request that starts at another origin is
   * rejected, a redirect to another origin is followed without them, and so is a redirect from there back.
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

/** Browsers and fetch follow up to 20 before they report a loop; five are enough for every normal service. */
const maxRedirects = 5;
/** Milliseconds until a connection is established; after that a retry is more likely to help than waiting. */
const connectTimeoutMs = 10_000;

class Blocked extends Error {}

/**
 * Creates the client. Its HTTP library is loaded for the first request, so a service that sends none does not load it.
 */
export function createOutboundClient(policy: AddressPolicy, answers = new HeldAnswers()): OutboundClient {
  let opened: Way | null = null;
  const way = (): Way => {
    opened ??= { ...openWay(policy), answers };
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

/** Unlike `import()`, it retries a load that failed, for example when no file could be opened for a moment. */
const require = createRequire(import.meta.url);

/** The parts with which requests are sent. */
interface Way {
  readonly answers: HeldAnswers;
  readonly agent: Agent;
  readonly sendRequest: typeof sendRequest;
}

function openWay(policy: AddressPolicy): Omit<Way, 'answers'> {
  const { Agent, buildConnector, request }: typeof import('undici') = require('undici');
  const agent = new Agent({
    connect: (options, callback) => {
      // A separate connector for each connection: the resolver's check needs the port.
      const lookup = checkedLookup(policy, portOf(options));
      buildConnector({ lookup, timeout: connectTimeoutMs })(options, callback);
    },
    // The step's own time limit ends a slow answer; undici's defaults would end it sooner with a different error.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, sendRequest: request };
}

interface Trip extends Way {
  readonly policy: AddressPolicy;
  readonly signal: AbortSignal;
  /** The secrets to add while the request is at its own origin. */
  readonly secret: BoundSecret | null;
  /** For the final answer, not for redirects. */
  readonly watch: BodyWatch;
}

const unwatched: BodyWatch = () => null;

/** The final answer. If another server redirects back to the origin, it chooses the URL there, so no secret is sent. */
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
    if (first.staysHome === true) rejectDeparture(home, new URL(request.url));
    rejectLeak(trip, new URL(request.url), location);
    rejectBody(trip, request);
  }
  throw new StepError('http_connection', `The server redirected more than ${maxRedirects} times.`);
}

/** The port of a URL that may be invalid. */
const portOfUrl = /^\s*[a-z]+:\/\/[^/?#\\]*:(\d+)(?:[/?#\\\s]|$)/i;
const lastPort = 65_535;

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) {
    const port = Number(portOfUrl.exec(text)?.[1] ?? 0);
    const need = port > lastPort ? `its port is above ${lastPort}` : 'it needs a scheme, e.g. https://, and a host';
    throw new StepError('config', `The URL is not valid: ${need}.`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new StepError('http_blocked', `URLs must begin with http:// or https://, not ${url.protocol}//.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new StepError('config', 'A URL must not contain a user name or password: send an authorization header.');
  }
  return url;
}

async function hop(
  trip: Trip,
  request: OutboundRequest,
  url: URL,
): Promise<{ response: Omit<OutboundResponse, 'url' | 'isFromHome'>; location: string | null }> {
  checkLiteral(trip.policy, url);
  try {
    const answer = await trip.sendRequest(addressFor(trip, url), {
      dispatcher: trip.agent,
      method: request.method as Dispatcher.HttpMethod,
      headers: headersFor(trip, request, url),
      body: bytesOf(bodyFor(trip, request, url)),
      signal: trip.signal,
    });
    const { 'set-cookie': cookies, ...others } = answer.headers;
    const headers = flatten(others);
    const location = redirectStatuses.has(answer.statusCode) ? locationIn(answer.headers) : null;
    const status = answer.statusCode;
    const watcher = location === null ? trip.watch({ status, headers }) : null;
    const reader = { watcher, held: trip.answers.begin(), signal: trip.signal };
    const body = await readBody(answer.body, headers, reader);
    return {
      response: { status, headers, ...(cookies !== undefined && { cookies: [cookies].flat() }), body },
      location,
    };
  } catch (error) {
    throw stepError(error, url);
  }
}

/** The address of a redirect; null if the server gives none. Which of two it means is not known. */
function locationIn({ location }: Dispatcher.ResponseData['headers']): string | null {
  const [first, ...others] = new Set([location].flat());
  if (others.length === 0) return textOf(first);
  throw new StepError(
    'http_connection',
    'The server redirected to several addresses: its answer has several Location headers.',
  );
}

/** Only this function, `addressFor` and `bodyFor` add secrets to a request, for each hop of a trip. */
function headersFor({ secret }: Trip, request: OutboundRequest, url: URL): Readonly<Record<string, string>> {
  const bound = secret?.origin === url.origin ? secret : null;
  const headers = bound?.fill === undefined ? request.headers : filledHeaders(request.headers, bound.fill);
  const sent = { ...headers, ...bound?.headers };
  const isNamed = Object.keys(sent).some((name) => name.toLowerCase() === 'user-agent');
  return isNamed ? sent : { 'user-agent': `Millrace/${version}`, ...sent };
}

function filledHeaders(headers: OutboundRequest['headers'], fill: SecretFill): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill.header(value)]));
}

function bodyFor({ secret }: Trip, { headers, body }: OutboundRequest, url: URL): OutboundRequest['body'] {
  const fill = secret?.origin === url.origin ? secret.fill : undefined;
  if (fill === undefined || body === null) return body;
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  if (typeof body === 'string') return fill.body(body, type);
  return body.map((part) => (typeof part === 'string' ? fill.body(part, type) : part));
}

function bytesOf(body: OutboundRequest['body']): string | Buffer | null {
  if (typeof body === 'string' || body === null) return body;
  return Buffer.concat(
    body.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.base64, 'base64'))),
  );
}

/** A copy, so that nothing else that holds the URL gets the secret in its path or its query. */
function addressFor({ secret }: Trip, given: URL): URL {
  const bound = secret?.origin === given.origin ? secret : null;
  const placed = bound?.path === undefined ? given : withPath(given, bound.path);
  const url = bound?.fill === undefined ? placed : withSearch(placed, bound.fill.query(placed.search));
  const query = bound?.query;
  // A server may redirect with the query that it received, which contains the parameter already.
  if (query === undefined || url.searchParams.has(query.name)) return url;
  const address = new URL(url);
  const parameter = `${encodeURIComponent(query.name)}=${encodeURIComponent(query.value.toWellFormed())}`;
  address.search = url.search === '' ? parameter : `${url.search}&${parameter}`;
  return address;
}

/** In the path of a redirect within the origin, the server has repeated the secret. */
function withPath(url: URL, { segment, value }: NonNullable<BoundSecret['path']>): URL {
  const copy = new URL(url);
  const parts = url.pathname.split('/');
  const place = parts.lastIndexOf(segment);
  copy.pathname = parts.map((part, index) => (index === place ? `${part}${value}` : part)).join('/');
  return copy;
}

function withSearch(url: URL, search: string): URL {
  const copy = new URL(url);
  copy.search = search;
  return copy;
}

/**
 * A request with a secret in its body is not redirected to another origin: without the secret it would be a different
 * request.
 */
function rejectBody({ secret }: Trip, { body, url }: OutboundRequest): void {
  const fill = secret?.fill;
  if (body === null || fill === undefined || new URL(url).origin === secret?.origin) return;
  const texts = (typeof body === 'string' ? [body] : body).filter((part) => typeof part === 'string');
  if (!texts.some((text) => fill.isIn(text))) return;
  const message =
    'The server redirected a request with a secret in its body to another origin, to which secrets are not sent.';
  throw new StepError('http_blocked', message);
}

/** The body of such a request is meant for one server, also without a secret. */
function rejectDeparture(home: string, to: URL): void {
  if (to.origin === home) return;
  throw new StepError(
    'http_blocked',
    `The server redirected to another origin, and this request must not leave ${home}.`,
  );
}

/**
 * A server that redirects to another one with the secret that it received would leak it to that one. The name of a
 * parameter is no indication: others have their own `token`. A host that looks like a number is normalized in a URL.
 */
function rejectLeak({ secret }: Trip, to: URL, location: string): void {
  if (secret === null || to.origin === secret.origin) return;
  const { query } = secret;
  const isRepeated = query !== undefined && to.searchParams.getAll(query.name).includes(query.value);
  if (!isRepeated && ![location, to.href].some((address) => secret.isIn(address))) return;
  const message = 'The server redirected to another origin with the secret in the URL, to which secrets are not sent.';
  throw new StepError('http_blocked', message);
}

function foreignSecret(): StepError {
  return new StepError('http_blocked', 'The secret was entered for a different address.');
}

/** Undici does not call a resolver for a literal address, so the policy is checked here. */
function checkLiteral(policy: AddressPolicy, url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const reason = isIP(host) === 0 ? null : rejection(policy, { address: host, port: portOf(url), name: null });
  if (reason !== null) throw blocked(url, reason);
}

/** The port of a URL or a connection: both omit the default port of their protocol. */
function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function blocked(url: URL, reason: string): StepError {
  return new StepError('http_blocked', `Requests to ${url.host} are not allowed: ${reason}.`);
}

/**
 * Resolves a name and rejects it if any of its addresses is not allowed: the checked address is the one connected to.
 */
function checkedLookup(policy: AddressPolicy, port: number): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const reasons = addresses
        .map(({ address }) => rejection(policy, { address, port, name: hostname }))
        .filter((reason) => reason !== null);
      const [reason] = reasons;
      if (reason !== undefined) return callback(new Blocked(reason), []);
      callback(null, addresses);
    });
  };
}

/** A header with one character per byte. Some servers send addresses in UTF-8, although they must be percent-encoded. */
function textOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : header;
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Describes the failure without the error text of a socket or a resolver, which can contain internal addresses. */
function stepError(error: unknown, url: URL): Error {
  if (error instanceof StepError) return error;
  if (error instanceof Blocked) return blocked(url, error.message);
  if (!(error instanceof Error))
    return new StepError('http_connection', `No response from ${url.host}.`, { retryable: true });
  if (error.name === 'AbortError') return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_INVALID_ARG') {
    return new StepError('config', `The request to ${url.host} is not valid: check its method and headers.`);
  }
  if (isDecodingError(error)) {
    const message = `The response from ${url.host} is not valid data of its Content-Encoding, or is incomplete.`;
    return new StepError('http_connection', message, { retryable: true });
  }
  const untrusted = certificateReasons.get(code);
  if (untrusted !== undefined) {
    return new StepError('http_connection', `The certificate of ${url.host} is not trusted: ${untrusted}.`);
  }
  const reason = connectionReasons.get(code) ?? otherReason(error.name, code);
  return new StepError('http_connection', `No response from ${url.host}: ${reason}.`, { retryable: true });
}

/** The codes of OpenSSL have other names in other versions. */
function otherReason(name: string, code: string): string {
  if (/^ERR_SSL_.*HANDSHAKE_FAILURE$/.test(code))
    return 'the server rejected the TLS handshake; it may require another cipher, or a certificate of its client';
  if (code.startsWith('ERR_SSL_')) return 'the TLS handshake failed';
  return name === 'HTTPParserError' ? notHttp : 'the connection failed';
}

const notHttp = 'what the server sent is not HTTP';
const ownIssuer =
  "give the file of its issuer's certificate to the service in NODE_EXTRA_CA_CERTS, and restart the service";

/** What is wrong with a certificate, by the code of OpenSSL or Node, and what helps. */
const certificateReasons: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', `it is self-signed; ${ownIssuer}`],
  ['SELF_SIGNED_CERT_IN_CHAIN', `its issuer is not known; ${ownIssuer}`],
  ['UNABLE_TO_GET_ISSUER_CERT', `its issuer is not known; ${ownIssuer}`],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', `its issuer is not known; ${ownIssuer}`],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    `its issuer is not known, or the server does not send the certificates between; ${ownIssuer}`,
  ],
  ['CERT_HAS_EXPIRED', 'it has expired; the operator of the server must renew it'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet; check the clocks of both machines'],
  ['CERT_REVOKED', 'it was revoked'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it was issued for another host name; use that name in the URL'],
]);

const connectionReasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there'],
  ['ENOTFOUND', 'the name does not exist'],
  ['EAI_AGAIN', 'the name could not be resolved'],
  ['ECONNRESET', 'the connection was closed'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection took too long'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not use TLS on this port; try http://'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the server does not use TLS on this port; try http://'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'the server supports only old versions of TLS'],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'the server requires a certificate of its client, which the service does not have',
  ],
  ['EPROTO', 'the TLS handshake failed'],
  ['EHOSTUNREACH', 'there is no route to it'],
  ['ENETUNREACH', 'there is no route to it'],
  ['ETIMEDOUT', 'the connection took too long'],
  ['EPIPE', 'the connection was closed'],
]);
