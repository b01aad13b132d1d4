import { headerLine, headerName, maxHeaderLength } from './headers.ts';

/**
 * Standard headers that only describe the response. Every other one is rejected, because browsers may attribute it to this
 * service, also in ways that do not exist yet.
 */
const allowedNames: ReadonlySet<string> = new Set([
  'accept-post',
  'accept-patch',
  'accept-ranges',
  'age',
  'allow',
  'content-disposition',
  'content-language',
  'content-location',
  'content-range',
  'content-type',
  'deprecation',
  'digest',
  'etag',
  'expires',
  'idempotency-key',
  'last-modified',
  'link',
  'location',
  'pragma',
  'preference-applied',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'repr-digest',
  'request-id',
  'retry-after',
  'server-timing',
  'sunset',
  'traceparent',
  'tracestate',
  'vary',
  'warning',
]);

/** Headers with the prefix of own headers to which browsers nevertheless react. */
const rejectedNames: ReadonlySet<string> = new Set([
  'x-accel-redirect',
  'x-content-security-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-robots-tag',
  'x-sendfile',
  'x-sourcemap',
  'x-ua-compatible',
  'x-webkit-csp',
  'x-xss-protection',
]);

/** Responses with these statuses have no body (RFC 9110). */
export const bodylessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Whether a workflow may set this header of its response (name in lower case). */
export function isAnswerName(name: string): boolean {
  return allowedNames.has(name) || (name.startsWith('x-') && headerName.test(name) && !rejectedNames.has(name));
}

/** Whether a header (name in lower case) is sent with the response of a workflow. */
export function isAnswerHeader(name: string, value: string): boolean {
  return isAnswerName(name) && headerLine.test(value) && value.length <= maxHeaderLength;
}

/** The host of an address at its beginning, with what precedes it. A relative address has none. */
const leadingHost = /^((?:https?:)?\/\/(?:[^/?#\\@]*@)?)([^/?#\\:@]+)/i;

/**
 * The value of a header as it is sent: in an address, characters that a URL cannot contain are percent-encoded, and so is
 * a line break. The host is given as `asciiHost` writes it.
 */
export function sentValue(name: string, value: string, asciiHost: (host: string) => string = (host) => host): string {
  if (name !== 'location' && name !== 'content-location') return value;
  return value
    .toWellFormed()
    .replace(leadingHost, (whole, before: string, host: string) =>
      /[^!-~]/.test(host) ? before + asciiHost(host) : whole,
    )
    .replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent);
}
