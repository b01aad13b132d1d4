import { type OutboundRequest, StepError } from '@millrace/core';

/** The only headers that are sent after a redirect to another origin: any other may be a secret, whatever its name. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
]);

/** The statuses that redirect if there is a `Location`. */
export const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The request that follows a redirect. @throws StepError http_connection if the server gives no address */
export function redirected(
  request: OutboundRequest,
  from: URL,
  to: { location: string; status: number },
): OutboundRequest {
  const target = URL.parse(to.location, from.href);
  if (target === null) throw new StepError('http_connection', 'The server redirected to an address that is not a URL.');
  const sameOrigin = target.origin === from.origin;
  const headers = Object.entries(request.headers).filter(
    ([name]) => sameOrigin || harmlessHeaders.has(name.toLowerCase()),
  );
  const becomesGet = to.status === 303 || ((to.status === 301 || to.status === 302) && request.method === 'POST');
  return {
    ...(request.staysHome === true && { staysHome: true }),
    method: becomesGet && request.method !== 'HEAD' ? 'GET' : request.method,
    url: target.href,
    headers: Object.fromEntries(becomesGet ? headers.filter(([name]) => !/^content-/i.test(name)) : headers),
    body: becomesGet ? null : request.body,
  };
}
