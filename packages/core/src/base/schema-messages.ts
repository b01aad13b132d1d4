import type { z } from 'zod';
import { excessOfNumber } from './resolved.ts';

/** The message for a missing value. */
export const missingMessage = 'Field required';

const typeNames: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
]);

/** The units of a text, a list or an object. */
const units: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ['string', ['character', 'characters']],
  ['array', ['item', 'items']],
  ['object', ['key', 'keys']],
  ['record', ['key', 'keys']],
]);

type Issue = z.core.$ZodRawIssue;

/**
 * What a value must be, for schemas without own messages: the end of a sentence that begins with the value's name.
 * Authors of workflows do not know the validation library.
 */
export function schemaMessages(issue: Issue): string {
  if (issue.input === undefined) return missingMessage;
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue.expected, issue.input);
    case 'invalid_value':
      return `must be ${choiceOf(issue.values)}`;
    case 'too_small':
      return limitMessage({ ...issue, limit: issue.minimum, relation: issue.inclusive ? 'at least' : 'more than' });
    case 'too_big':
      return limitMessage({ ...issue, limit: issue.maximum, relation: issue.inclusive ? 'at most' : 'less than' });
    case 'invalid_format':
      return formatMessage(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
    case 'invalid_element':
      return innerMessage(issue.issues);
    case 'invalid_union':
      return unionMessage(issue);
    default:
      return 'cannot be used here';
  }
}

function typeMessage(expected: string, input: unknown): string {
  const excess = expected === 'number' || expected === 'int' ? excessOfNumber(input) : null;
  if (excess !== null) return excess;
  const wanted = typeNames.get(expected) ?? expected;
  const given = nameOf(input);
  return given === wanted || (expected === 'int' && typeof input === 'number')
    ? `must be ${wanted}`
    : `must be ${wanted}, not ${given}`;
}

function nameOf(input: unknown): string {
  if (input === null || typeof input === 'boolean') return String(input);
  return typeNames.get(Array.isArray(input) ? 'array' : typeof input) ?? typeof input;
}

function choiceOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length === 1 ? words : `one of ${words}`;
}

interface Limit {
  readonly origin: string;
  readonly limit: number | bigint;
  readonly relation: string;
  readonly exact?: boolean | undefined;
}

function limitMessage({ origin, limit, relation, exact }: Limit): string {
  const unit = units.get(origin);
  if (unit === undefined) return `must be ${relation} ${limit}`;
  if (origin === 'string' && relation === 'at least' && limit === 1) return 'must not be empty';
  return `must have ${exact === true ? 'exactly' : relation} ${limit} ${Number(limit) === 1 ? unit[0] : unit[1]}`;
}

function formatMessage(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  const { format } = issue;
  if (format === 'includes') return `must contain '${String(issue.includes)}'`;
  if (format === 'regex') return `must match the pattern ${String(issue.pattern)}`;
  return `must be a valid ${format}`;
}

function innerMessage(issues: readonly { readonly message: string }[]): string {
  return `is not an allowed key: ${issues[0]?.message ?? 'it has the wrong form'}`;
}

/** The requirements of all alternatives; requirements inside them are in their own issues. */
function unionMessage({
  errors = [],
  discriminator,
  options,
  input,
}: Extract<Issue, { code: 'invalid_union' }>): string {
  if (discriminator !== undefined && Array.isArray(options)) {
    const isMissing = (input as Readonly<Record<string, unknown>>)[discriminator] === undefined;
    return isMissing ? missingMessage : `must be ${choiceOf(options)}`;
  }
  const excess = excessOfNumber(input);
  if (errors.flat().some(({ path, message }) => path.length === 0 && message === excess)) return String(excess);
  const wanted = errors.flat().flatMap(({ path, message }) => {
    const [, words] = /^must be (.*?)(?:, not .*)?$/.exec(message) ?? [];
    return path.length > 0 || words === undefined ? [] : [words];
  });
  return wanted.length === 0 ? 'cannot be used here' : `must be ${[...new Set(wanted)].join(', or ')}`;
}
