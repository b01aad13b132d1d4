import type { HttpAnswer, Json } from '@millrace/core';

/** An answer as it goes out: nothing in it can speak for the service itself. */
export interface SafeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the status has none. */
  readonly body: string | undefined;
}

/**
 * Headers that a workflow must not set: they steer the connection, or they speak for this service to browsers.
 * Whatever is not here reaches only the caller's own code.
 */
const refusedNames: ReadonlySet<string> = new Set([
  'alt-svc',
  'cache-control',
  'clear-site-data',
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'expect-ct',
  'keep-alive',
  'nel',
  'origin-agent-cluster',
  'permissions-policy',
  'public-key-pins',
  'referrer-policy',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'server',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'sourcemap',
  'strict-transport-security',
  'te',
  'timing-allow-origin',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'www-authenticate',
  'x-content-type-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]);
const refusedPrefixes = ['access-control-', 'content-security-policy', 'cross-origin-', 'proxy-', 'sec-'];

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
// Visible ASCII, space and tab: what may not stand in a header could end it and begin another.
const headerValue = /^[\t\x20-\x7e]{0,4096}$/;
const textType =
  /^(?:text\/[a-z0-9.+-]+|application\/(?:[a-z0-9.-]+\+)?(?:json|xml|yaml|x-ndjson|javascript))(?:;[\t\x20-\x7e]*)?$/i;

/** Answers of these statuses end with their headers (RFC 9110). */
const bodylessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Even an answer that is HTML runs no script and belongs to no origin: the API key lives in this one. */
const alwaysSent = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;

/** What a respond node answered, made safe to send. */
export function safeAnswer({ status, headers, body }: HttpAnswer): SafeAnswer {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (isAllowed(lower) && headerValue.test(value)) kept[lower] = value;
  }
  const { 'content-type': given, ...others } = kept;
  const known = Number.isInteger(status) && status >= 200 && status <= 599 ? status : 200;
  if (bodylessStatuses.has(known)) return { status: known, headers: { ...others, ...alwaysSent }, body: undefined };
  const type = given !== undefined && textType.test(given) ? given : defaultType(body);
  return {
    status: known,
    headers: { ...others, 'content-type': type, ...alwaysSent },
    // Text goes out as the author wrote it, also where they call it JSON.
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

function isAllowed(name: string): boolean {
  if (refusedNames.has(name) || !headerName.test(name)) return false;
  return !refusedPrefixes.some((prefix) => name.startsWith(prefix));
}

function defaultType(body: Json): string {
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
}
