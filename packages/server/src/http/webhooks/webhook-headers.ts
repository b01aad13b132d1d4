import type { IncomingHttpHeaders } from 'node:http';
import type { QueryParameters } from '@millrace/core';

type Names = Readonly<Record<string, string>>;

/**
 * Names whose values are secrets of the sender or of this service. They reach neither the run nor its journal. The last
 * word of a name decides: `x-gitlab-token` is secret, `author` and `session_id` are not. Signatures are secret because
 * a reader could send the same request again.
 */
const secretName =
  /(?:^|[-_.])(?:authorization|authentication|auth|cookie2?|token|secret|password|passwd|jwt|(?:api|access|private|secret)[-_]?key|signature(?:-256)?)$|^key$/i;
/** A key of this service in any position, for example in the URL of the referring page. */
const keyInValue = /mr_[A-Za-z0-9_-]{43}/;

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) || (value.includes('mr_') && keyInValue.test(value));
}

/** The request headers that the run gets: lower-case names, without secrets. */
export function publicHeaders(headers: IncomingHttpHeaders): Names {
  const kept: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    if (!isSecret(name, text)) kept[name] = text;
  }
  return kept;
}

/** The query parameters that the run gets, without secrets; the values of a repeated one are a list, as in a form. */
export function publicQuery(query: Readonly<Record<string, unknown>>): QueryParameters {
  const kept: Record<string, string | readonly string[]> = Object.create(null);
  for (const name in query) {
    const value = query[name];
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    if (values.some((text) => isSecret(name, text))) continue;
    kept[name] = Array.isArray(value) ? values : String(value);
  }
  return kept;
}
