import { isObject, type Json, type PlatformRequest, type StepContext, StepError } from '@millrace/core';

/**
 * The body of a successful answer.
 * @throws StepError `platform` with the reason of the service
 */
export async function callPlatform(ctx: Pick<StepContext, 'platform'>, request: PlatformRequest): Promise<Json> {
  const { status, body } = await ctx.platform(request);
  if (status < 400) return body;
  const message = `${request.method} ${request.path} was answered with ${status}: ${reasonIn(body)}`;
  throw new StepError('platform', message, { retryable: status === 429 || status === 503 });
}

/** What the answer says about its error: a sentence, or a sentence for each field. */
function reasonIn(body: Json): string {
  const detail = isObject(body) ? body.detail : body;
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return JSON.stringify(body);
  return detail.map(issueIn).join(' ');
}

function issueIn(issue: Json): string {
  if (!isObject(issue)) return JSON.stringify(issue);
  const { loc, msg } = issue;
  const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : '';
  return place === '' ? `${msg}.` : `${place}: ${msg}.`;
}
