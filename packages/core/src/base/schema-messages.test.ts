import { expect, it } from 'vitest';
import { z } from 'zod';
import { schemaIssues } from './schema-issues.ts';

const printed = (schema: z.ZodType, value: unknown): unknown => {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : schemaIssues(parsed.error).map(({ path, message }) => [...path, message].join(': '));
};

const shapes = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a') }),
  z.object({ kind: z.literal('b'), n: z.int() }),
]);
const tooManyDigits =
  'has too many digits: integers outside ±(2^53 − 1) are text, because a calculation would round them';
const outOfRange = 'is out of range: a number can be at most about 1.8e308';
const key = z.string().regex(/^[a-z]/, 'must begin with a letter');

it.each<[z.ZodType, unknown, string]>([
  [z.string(), 5, 'must be text, not a number'],
  [z.string(), null, 'must be text, not null'],
  [z.number(), [], 'must be a number, not a list'],
  [z.number(), Number.NaN, 'must be a number'],
  [z.int(), 0.5, 'must be a whole number'],
  [z.int(), 'x', 'must be a number, not text'],
  [z.int(), '9007199254740993', tooManyDigits],
  [z.number(), '-12345678901234567890', tooManyDigits],
  [z.number(), '1e400', outOfRange],
  [z.int(), '9'.repeat(400), outOfRange],
  [z.int(), '9007199254740991', 'must be a number, not text'],
  [z.number(), '1e40', 'must be a number, not text'],
  [z.union([z.int(), z.boolean()]), '1e400', outOfRange],
  [z.union([z.int(), z.boolean()]), 'x', 'must be a number, or true or false'],
  [z.boolean(), '9007199254740993', 'must be true or false, not text'],
  [z.boolean(), {}, 'must be true or false, not an object'],
  [z.array(z.string()), true, 'must be a list, not true'],
  [z.object({}), 'x', 'must be an object, not text'],
  [z.record(z.string(), z.int()), [], 'must be an object, not a list'],
  [z.object({ a: z.string() }), {}, 'a: Field required'],
  [z.object({ a: z.enum(['x', 'y']) }), {}, 'a: Field required'],
  [z.object({}), undefined, 'Field required'],
  [z.enum(['x', 'y']), 'z', 'must be one of "x", "y"'],
  [z.literal('x'), 4, 'must be "x"'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(2), 'a', 'must have at least 2 characters'],
  [z.string().max(1), 'aa', 'must have at most 1 character'],
  [z.array(z.int()).min(1), [], 'must have at least 1 item'],
  [z.array(z.int()).length(3), [], 'must have exactly 3 items'],
  [z.int().min(0), -1, 'must be at least 0'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.number().max(20), 21, 'must be at most 20'],
  [z.number().lt(1), 1, 'must be less than 1'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.string().includes('{{'), 'x', "must contain '{{'"],
  [z.uuid(), 'x', 'must be a valid uuid'],
  [z.string().regex(/^a$/), 'x', 'must match the pattern /^a$/'],
  [z.record(key, z.int()), { 1: 1 }, '1: is not an allowed key: must begin with a letter'],
  [z.union([z.string(), z.int()]), true, 'must be text, or a number'],
  [z.union([z.object({ a: z.int() }), z.string()]), { a: 'x' }, 'a: must be a number, not text'],
  [shapes, {}, 'kind: Field required'],
  [shapes, { kind: 'c' }, 'kind: must be one of "a", "b"'],
  [shapes, { kind: 'b', n: null }, 'n: must be a number, not null'],
  [z.string('is no name'), 5, 'is no name'],
])('a value that violates its schema gets a message with what it must be: %#', (schema, value, words) => {
  expect(printed(schema, value)).toEqual([words]);
});
