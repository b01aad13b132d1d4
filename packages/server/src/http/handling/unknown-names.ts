import { type UnknownKey, unknownKeys } from '@millrace/contract';
import { closest, type FieldIssue } from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { prefersStrict } from './prefer.ts';
import { addWarning } from './warning.ts';

/** The schemas of an operation; undefined if it accepts no query or body. */
export interface Expected {
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
}

/**
 * More unknown names than this in one request are not typos: the rest is counted. This also bounds the header and the
 * work.
 */
const maxNamed = 20;
/** The longest names of the API are half as long. */
const maxShown = 60;

const nothing = z.object({});

interface UnknownName extends UnknownKey {
  readonly place: 'query' | 'body';
}

/**
 * Finds query parameters and body keys that the operation does not have. Strict callers get them as issues; others get
 * a warning header.
 */
export function checkNames(
  { query, body }: Expected,
  given: { readonly request: FastifyRequest; readonly body: unknown; readonly reply: FastifyReply },
): readonly FieldIssue[] {
  const { request, reply } = given;
  const found: readonly UnknownName[] = [
    ...unknownKeys(query ?? nothing, request.query).map((one) => ({ ...one, place: 'query' as const })),
    ...unknownKeys(body ?? nothing, given.body).map((one) => ({ ...one, place: 'body' as const })),
  ];
  const isStrict = prefersStrict(request.headers);
  if (isStrict) reply.header('preference-applied', 'handling=strict');
  if (found.length === 0) return [];
  const named = found.slice(0, maxNamed);
  if (isStrict) return named.map(issueOf);
  const rest = found.length - named.length;
  addWarning(reply, [...named.map(warningOf), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '));
  return [];
}

function issueOf(name: UnknownName): FieldIssue {
  const known = closestTo(name);
  const advice = known === undefined ? `No ${kindOf(name)} is taken here.` : `The closest known one is '${known}'.`;
  const msg = `Unknown ${kindOf(name)} '${shownKey(name)}'. ${advice}${name.hint && ` ${name.hint}`}`;
  return { type: 'unknown_key', loc: [name.place, ...name.path], msg };
}

function warningOf(name: UnknownName): string {
  const known = closestTo(name);
  const advice = known === undefined ? 'none is taken here' : `closest known: '${known}'`;
  const hint = name.hint && `. ${name.hint.replace(/\.$/, '')}`;
  return `Ignored unknown ${kindOf(name)} '${shownPath(name)}' (${advice}${hint})`;
}

function kindOf({ place }: UnknownName): string {
  return place === 'query' ? 'query parameter' : 'body key';
}

function closestTo({ path, known }: UnknownName): string | undefined {
  return closest(String(path.at(-1)), known);
}

function shownKey({ path }: UnknownName): string {
  return cut(String(path.at(-1)));
}

/** `operations[0].node.lable` */
function shownPath({ path }: UnknownName): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${cut(part)}`));
  return parts.join('').replace(/^\./, '');
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
}
