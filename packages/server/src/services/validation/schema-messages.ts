import { receivedNumberOf } from '@millrace/core';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { MissingRefError } from 'ajv/dist/2020.js';

type AjvError = NonNullable<Ajv2020['errors']>[number];

/** Characters of a schema's own values in a message. */
const maxShown = 200;

/** Messages for rules whose message from Ajv is missing or unclear. */
const words = new Map<string, (params: Readonly<Record<string, unknown>>) => string>([
  ['type', ({ type }) => `must be ${[type].flat().join(' or ')}`],
  ['required', () => 'is missing'],
  ['dependentRequired', ({ property }) => `is missing: it is required if '${String(property)}' is present`],
  ['additionalProperties', () => 'is not one of the keys that the schema allows'],
  ['unevaluatedProperties', () => 'is not one of the keys that the schema allows'],
  ['false schema', () => 'is not allowed here'],
  ['not', () => "must not fit the schema's 'not'"],
]);

/** What a value must be for a schema, as the end of a sentence that begins with its position. */
export function ruleMessage({ keyword, params, message }: AjvError): string {
  // For the replaced `enum` keyword the message already contains the choices.
  if (keyword === 'enum' && Array.isArray(params.allowedValues))
    return `must be one of ${listed(params.allowedValues)}`;
  return words.get(keyword)?.(params) ?? message?.replace('must NOT', 'must not') ?? 'does not fit the schema';
}

/** What to do about an integer that is text because a double cannot hold it; empty for any other error. */
export function largeIntegerHint({ keyword, params, instancePath }: AjvError, value: unknown): string {
  const wanted: readonly unknown[] = [params.type].flat();
  if (keyword !== 'type' || !(wanted.includes('integer') || wanted.includes('number'))) return '';
  if (typeof receivedNumberOf(valueAt(instancePath, value)) !== 'bigint') return '';
  return ': an integer outside ±(2^53 − 1) is text, which the schema must allow, as in "type": ["integer", "string"]';
}

/** The value at a JSON Pointer. */
function valueAt(pointer: string, value: unknown): unknown {
  let inner = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    inner = (inner as Readonly<Record<string, unknown>>)[key];
  }
  return inner;
}

/** The values as JSON, cut to the length that fits in a message. */
export function listed(values: unknown): string {
  const text = Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : JSON.stringify(values);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}

/** Why a schema cannot be compiled. */
export function compileMessage(error: unknown): string {
  if (error instanceof MissingRefError) return `it refers to '${error.missingRef}', which is not in it`;
  return error instanceof Error ? error.message : 'unknown reason';
}
