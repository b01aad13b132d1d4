import { asObject, asText } from '../base/resolved.ts';
import type { SettingIssue } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { isObject, type Json } from '../json.ts';

/** Field names as RFC 9110 defines them, in lower case. */
export const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** A header's value is one line of printable Latin-1: a line break would begin another header. */
export const headerLine = /^[\t -~\u0080-\u00ff]*$/;
/**
 * The value of a header without the white space around it, which is not a part of it (RFC 9110, 5.5). A no-break space is a
 * character like any other.
 */
export function headerText(value: string): string {
  return value.replace(/^[ \t\r\n]+/, '').replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '');
}

/** More headers than any service requires; Node itself accepts at most 16 KiB of them. */
const maxHeaders = 50;
export const maxHeaderLength = 8192;

/** Headers that describe the connection, not the message: only the HTTP client sets them. */
const connectionHeaders = new Set(['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer']);

/** Whether a header (name in lower case) belongs to one connection, so that users cannot set it. */
export function isConnectionHeader(name: string): boolean {
  return connectionHeaders.has(name) || /^(proxy-|transfer-encoding$|upgrade$)/.test(name);
}

/** Whether a header (name in lower case) must not be set: true if the service sets it, else the reason. */
type IsRejected = (name: string) => boolean | string;

/** The reason why a header cannot be set; null if it can. */
function headerIssue(name: string, text: string, { field, isRejected }: { field: string; isRejected: IsRejected }) {
  if (!headerName.test(name)) return `'${field}' contains an invalid header name.`;
  const rejected = isRejected(name);
  if (rejected !== false)
    return `'${field}' must not set '${name}': ${rejected === true ? 'the service sets it' : rejected}.`;
  if (headerLine.test(text) && text.length <= maxHeaderLength) return null;
  return `'${field}.${name}' must be one line of at most ${maxHeaderLength} Latin-1 characters.`;
}

/** It looks like a space, is most often pasted by mistake, and is a part of a word for servers. */
function noBreakSpace(path: readonly string[]): SettingIssue {
  const message = 'contains a no-break space (U+00A0), which is sent as it is: write a space unless it is meant';
  return { path: [...path], severity: 'warning', message };
}

/** Only one of two headers with the same name would be sent. */
function duplicateIssue(first: string | undefined, second: string, field: string): string | null {
  return first === undefined
    ? null
    : `'${field}' has '${first}' and '${second}', which are the same header: remove one.`;
}

/** The static headers in a config, names in lower case; nothing is known of a value with expressions. */
export function literalHeaders(value: Json | undefined): readonly LiteralHeader[] {
  if (value === undefined || !isObject(value)) return [];
  return Object.entries(value).map(([key, text]) => {
    const isLiteral = typeof text === 'string' && !text.includes('{{');
    return { key, name: key.toLowerCase(), text: isLiteral ? headerText(text) : null };
  });
}

/** A header as written in a config. */
export interface LiteralHeader {
  readonly key: string;
  readonly name: string;
  readonly text: string | null;
}

/** The headers in a config that `asHeaders` rejects whatever the values of the expressions are, and doubtful ones. */
export function headerIssues(headers: readonly LiteralHeader[], field: string, isRejected: IsRejected): SettingIssue[] {
  const seen = new Map<string, string>();
  return headers.flatMap(({ key, name, text }) => {
    const first = seen.get(name);
    seen.set(name, key);
    const message = headerIssue(name, text ?? '', { field, isRejected }) ?? duplicateIssue(first, key, field);
    if (message !== null) return [{ path: [field, key], isKey: true, severity: 'error', message }];
    return text?.includes('\u00a0') ? [noBreakSpace([field, key])] : [];
  });
}

/**
 * A config value as HTTP headers, names in lower case. An invalid header, or one that `isRejected` names, fails the
 * step.
 * @throws StepError `config`
 */
export function asHeaders(value: unknown, field: string, isRejected: IsRejected): Record<string, string> {
  const headers = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const [written, content] of Object.entries(asObject(value, field))) {
    const name = written.toLowerCase();
    const text = headerText(asText(content, `${field}.${name}`));
    const issue = headerIssue(name, text, { field, isRejected }) ?? duplicateIssue(seen.get(name), written, field);
    if (issue !== null) throw new StepError('config', issue);
    headers.set(name, text);
    seen.set(name, written);
  }
  if (headers.size > maxHeaders) throw new StepError('config', `'${field}' has more than ${maxHeaders} headers.`);
  return Object.fromEntries(headers);
}
