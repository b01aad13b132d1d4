/**
 * Headers that a workflow must not set: they control the connection, or browsers attribute them to this service. All
 * other headers affect only the caller's own code.
 */
const rejectedNames: ReadonlySet<string> = new Set([
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
const rejectedPrefixes = ['access-control-', 'content-security-policy', 'cross-origin-', 'proxy-', 'sec-'];

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
// Visible ASCII, space and tab: other characters could end a header and begin another.
const headerValue = /^[\t\x20-\x7e]{0,4096}$/;

/** Whether a header (name in lower case) is sent with the response of a workflow; others are omitted. */
export function isAnswerHeader(name: string, value: string): boolean {
  if (rejectedNames.has(name) || !headerName.test(name) || !headerValue.test(value)) return false;
  return !rejectedPrefixes.some((prefix) => name.startsWith(prefix));
}
