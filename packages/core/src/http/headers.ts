import { asObject, asText } from '../base/resolved.ts';
import type { SettingFault } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { isObject, type Json } from '../json.ts';

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

/** Says of a header, by its lower-case name, whether it is the service's alone to set. */
type IsRefused = (name: string) => boolean;

/** Why a header cannot be set; null when it can. */
function headerFault(name: string, text: string, { field, isRefused }: { field: string; isRefused: IsRefused }) {
  if (!headerName.test(name)) return `'${field}' has a name that is not one of a header.`;
  if (isRefused(name)) return `'${field}' must not set '${name}': the service does.`;
  if (headerLine.test(text) && text.length <= maxValueLength) return null;
  return `'${field}.${name}' must be one line of at most ${maxValueLength} Latin-1 characters.`;
}

/** The headers in a config that are written out, names in lower case; of a value with expressions nothing is known. */
export function literalHeaders(value: Json | undefined): readonly LiteralHeader[] {
  if (value === undefined || !isObject(value)) return [];
  return Object.entries(value).map(([key, text]) => {
    const isLiteral = typeof text === 'string' && !text.includes('{{');
    return { key, name: key.toLowerCase(), text: isLiteral ? text.trim() : null };
  });
}

/** A header as it is written in a config. */
export interface LiteralHeader {
  readonly key: string;
  readonly name: string;
  readonly text: string | null;
}

/** What `asHeaders` will refuse of the headers in a config, whatever its expressions give. */
export function headerFaults(headers: readonly LiteralHeader[], field: string, isRefused: IsRefused): SettingFault[] {
  return headers.flatMap(({ key, name, text }) => {
    const message = headerFault(name, text ?? '', { field, isRefused });
    return message === null ? [] : [{ path: [field, key], isKey: true, severity: 'error', message }];
  });
}

/**
 * A config value as HTTP headers, names in lower case. What `isRefused` names, and what is no header, fails the step.
 * @throws StepError `config`
 */
export function asHeaders(value: unknown, field: string, isRefused: IsRefused): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [written, content] of Object.entries(asObject(value, field))) {
    const name = written.toLowerCase();
    const text = asText(content, `${field}.${name}`).trim();
    const fault = headerFault(name, text, { field, isRefused });
    if (fault !== null) throw new StepError('config', fault);
    headers.set(name, text);
  }
  if (headers.size > maxHeaders) throw new StepError('config', `'${field}' has more than ${maxHeaders} headers.`);
  return Object.fromEntries(headers);
}
