import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldKind } from '../fields/field.ts';
import { rulesOf } from './field-rules.ts';

const rules = (field: FieldKind, takesExpression = true) => rulesOf({ field, takesExpression });
const number: FieldKind = { kind: 'number', minimum: 1, maximum: 9, isWhole: true, unit: null };

/** JSON as the service has it: integers beyond the precision of a number are texts there. */
const json = fc
  .jsonValue()
  .map((value): unknown =>
    JSON.parse(JSON.stringify(value), (_key, inner) =>
      typeof inner === 'number' && !Number.isSafeInteger(Math.trunc(inner)) ? 0 : inner,
    ),
  );

/** Values of each kind of field that takes an expression. */
const kinds: readonly (readonly [FieldKind, fc.Arbitrary<unknown>])[] = [
  [{ kind: 'json' }, json],
  [{ kind: 'json', isList: true }, fc.array(json)],
  [{ kind: 'any' }, json],
  [{ kind: 'text' }, fc.string({ minLength: 1 })],
  [number, fc.integer({ min: 1, max: 9 })],
  [{ kind: 'duration', unit: 'seconds' }, fc.integer({ min: 1, max: 100_000 })],
  [{ kind: 'boolean' }, fc.boolean()],
  [{ kind: 'choice', options: ['GET', 'PUT'] }, fc.constantFrom('GET', 'PUT')],
  [{ kind: 'map', isText: false }, fc.dictionary(fc.string({ minLength: 1 }), json, { minKeys: 1 })],
  [{ kind: 'map', isText: true }, fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 1 })],
  [{ kind: 'texts', suggestions: [] }, fc.array(fc.string({ minLength: 1 }), { minLength: 1 })],
  [{ kind: 'choices', options: ['a', 'b'] }, fc.subarray(['a', 'b'], { minLength: 1 })],
  [{ kind: 'objects', fields: [] }, fc.array(fc.dictionary(fc.string(), json), { minLength: 1 })],
];

describe.each(kinds)('a field of kind %j', (kind, values) => {
  test('shows each of its values as a text that means the same', () => {
    const { value: format } = rules(kind);
    fc.assert(
      fc.property(values, (value) => {
        expect(format.read(format.show(value))).toEqual({ value });
      }),
    );
  });

  test('takes an expression in place of its value, in the mode for expressions', () => {
    const { expression, modeOf } = rules(kind);
    expect(expression?.read('{{ trigger.payload }}')).toEqual({ value: '{{ trigger.payload }}' });
    expect(expression?.show('{{ trigger.payload }}')).toBe('{{ trigger.payload }}');
    expect(modeOf('{{ trigger.payload }}')).toBe('expression');
  });
});

test.each([
  ['{{ trigger.payload }}', { value: '{{ trigger.payload }}' }],
  [' {{ trigger.payload }}\n', { value: '{{ trigger.payload }}' }],
  ['{"a": "{{ trigger.payload }}"}', { value: { a: '{{ trigger.payload }}' } }],
  ['"{{ trigger.payload }} "', { value: '{{ trigger.payload }} ' }],
  ['{}', { value: {} }],
  ['', { value: undefined }],
])('the text %j of a JSON field means %j', (text, reading) => {
  for (const kind of ['json', 'any'] as const) expect(rules({ kind }).value.read(text)).toEqual(reading);
});

test('a list of anything is typed as JSON, and nothing else is one', () => {
  const { value } = rules({ kind: 'json', isList: true });
  expect(value.read('[1, {}]')).toEqual({ value: [1, {}] });
  expect(value.read('{}')).toEqual({ problem: 'Must be a list in [ ].' });
});

test('an expression inside JSON must be in quotes, and the problem says so', () => {
  expect(rules({ kind: 'json' }).value.read('{"a": {{ b }}}')).toEqual({
    problem: expect.stringMatching(/^Must be JSON: .* An expression in it is in quotes: "{{ … }}"\.$/),
  });
});

test('a field without expressions takes none', () => {
  expect(rules({ kind: 'json' }, false).value.read('{{ a }}')).toHaveProperty('problem');
  expect(rules(number, false)).toMatchObject({ expression: null });
  expect(rules(number, false).value.read('{{ a }}')).toEqual({ problem: 'Must be a number.' });
});

test.each([
  ['x', 'Must be a number.'],
  ['0x5', 'Must be a number.'],
  ['9007199254740993', 'Has too many digits: the number would be rounded.'],
  ['1.5', 'Must be a whole number.'],
  ['0', 'Must be at least 1.'],
  ['10', 'Must be at most 9.'],
])('%j is no number of a field, because it %s', (text, problem) => {
  expect(rules(number).value.read(text)).toEqual({ problem });
});

test('a text with a limit is stored only up to there, without the spaces around it', () => {
  const { value } = rules({ kind: 'text', length: 3, isTrimmed: true });
  expect(value.read(' abc ')).toEqual({ value: 'abc' });
  expect(value.read('abcd')).toEqual({ problem: 'Must have at most 3 characters.' });
  expect(value.read('  ')).toEqual({ value: undefined });
});

test.each([
  ['map', '[]', 'an object in { }'],
  ['texts', '{}', 'a list in [ ]'],
  ['rules', '7', 'a list in [ ]'],
] as const)('a %s takes no %s in place of its parts', (kind, text, shape) => {
  const field = { kind, isText: true, suggestions: [], isRouting: true, isItem: false } as never;
  expect(rules(field).expression?.read(text)).toEqual({ problem: `Must be an expression in {{ }}, or ${shape}.` });
});
