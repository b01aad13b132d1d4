import { StepError } from './errors.ts';
import { asObject, asText } from './resolved.ts';

/** Field names as RFC 9110 has them, in lower case. */
export const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** A header's value is one line of printable Latin-1: a line break would begin another header. */
export const headerLine = /^[\t -~\u0080-\u00ff]*$/;
/** More headers than any service asks for; Node itself stops reading at 16 KiB of them. */
const maxHeaders = 50;
const maxValueLength = 8192;

/** Headers that describe the connection, not the message: who speaks HTTP sets them, nobody else. */
const connectionHeaders = new Set(['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer']);

/** Whether a header, by its lower-case name, belongs to one connection and is never a user's to set. */
export function isConnectionHeader(name: string): boolean {
  return connectionHeaders.has(name) || /^(proxy-|transfer-encoding$|upgrade$)/.test(name);
}

/**
 * A config value as HTTP headers, names in lower case. What `isRefused` names, and what is no header, fails the step.
 * @throws StepError `config`
 */
export function asHeaders(value: unknown, field: string, isRefused: (name: string) => boolean): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [written, content] of Object.entries(asObject(value, field))) {
    const name = written.toLowerCase();
    if (!headerName.test(name)) throw new StepError('config', `'${field}' has a name that is not one of a header.`);
    if (isRefused(name)) throw new StepError('config', `'${field}' must not set '${name}': the service does.`);
    const text = asText(content, `${field}.${name}`).trim();
    if (!headerLine.test(text) || text.length > maxValueLength) {
      throw new StepError(
        'config',
        `'${field}.${name}' must be one line of at most ${maxValueLength} Latin-1 characters.`,
      );
    }
    headers.set(name, text);
  }
  if (headers.size > maxHeaders) throw new StepError('config', `'${field}' has more than ${maxHeaders} headers.`);
  return Object.fromEntries(headers);
}
