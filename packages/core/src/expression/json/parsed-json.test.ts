import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runThrough } from '../../base/meter.ts';
import type { Json } from '../../json.ts';
import { parsedJson } from './parsed-json.ts';

/** Values with large parts at any depth, of any kind. */
const large: fc.Arbitrary<Json> = fc
  .tuple(fc.jsonValue() as fc.Arbitrary<Json>, fc.constantFrom('list', 'object', 'text', 'deep', 'fields'), fc.nat(30))
  .map(([value, kind, shift]): Json => {
    switch (kind) {
      case 'list':
        return Array.from({ length: 40_000 + shift }, (_, index) => (index % 20_000 === shift ? value : index));
      case 'object':
        return Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${shift}"${index}\\`, value]));
      case 'text':
        return [`${'\\'.repeat(70_000 + shift)}"[{,:}]`, value, '"'];
      case 'deep':
        return [[[[{ a: [[value, 'y'.repeat(70_000), value], value], '': [] }]]], value];
      default:
        return JSON.parse(`{"__proto__": ${JSON.stringify('z'.repeat(70_000))}, "a": {}, "a": 1}`) as Json;
    }
  });

const value = fc.oneof(large, fc.array(large, { maxLength: 3 }), fc.dictionary(fc.string(), large, { maxKeys: 3 }));
const text = fc
  .tuple(value, fc.constantFrom('', ' ', '\t\n'))
  .map(([given, space]) => `${space}${JSON.stringify(given, null, space)}${space}`);

function parsed(parse: () => Json): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : String(error);
  }
}

describe('a JSON text that is parsed in pieces', () => {
  test('has the value that JSON.parse returns', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(parsed(() => runThrough(parsedJson(given))) === JSON.stringify(JSON.parse(given))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('is invalid exactly if it is for JSON.parse', () => {
    const damage = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('', ',', ']', '}', '[', '"', ':', '1,'),
    );
    fc.assert(
      fc.property(text, damage, fc.nat(2), (given, [place, put], removed) => {
        // Near a bracket or a comma, where parts of the text meet.
        const near = Math.floor(place * given.length);
        const at = Math.max(0, given.slice(near).search(/[[\]{},]/)) + near;
        const damaged = given.slice(0, at) + put + given.slice(at + removed);
        expect(parsed(() => runThrough(parsedJson(damaged)))).toBe(parsed(() => JSON.parse(damaged) as Json));
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    '[,L]',
    '[L,]',
    '[L,,L]',
    '{"a":L,}',
    '{,"a":L}',
    '[L}',
    '[L',
    'L]',
    '{"a" L}',
    '{a:L}',
    '[L] 1',
    '1 [L]',
  ])('is invalid as %s', (shape) => {
    const whole = shape.replaceAll('L', `[${'1,'.repeat(50_000)}1]`);
    expect(parsed(() => JSON.parse(whole) as Json)).toBe('no JSON');
    expect(parsed(() => runThrough(parsedJson(whole)))).toBe('no JSON');
  });

  test('has equal large values once', () => {
    const long = Array.from({ length: 40_000 }, (_, index) => index);
    const repeated = { x: { a: long, b: [long, long.slice(1)], c: { long } } };
    const { x } = runThrough(parsedJson(JSON.stringify(repeated))) as unknown as typeof repeated;
    expect(x).toEqual(repeated.x);
    expect([x.b[0] === x.a, x.c.long === x.a]).toEqual([true, true]);
  });

  test('has a pause after each piece', () => {
    const lists = JSON.stringify({
      x: { y: Array.from({ length: 8 }, (_, index) => Array.from({ length: 50_000 }, () => [index])) },
    });
    const pauses = [...parsedJson(lists)].length;
    expect(pauses).toBeGreaterThan(lists.length / 100_000);
  });
});
