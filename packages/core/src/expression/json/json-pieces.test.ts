import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Meter, runThrough } from '../../base/meter.ts';
import type { Json } from '../../json.ts';
import { jsonPieces, writtenJson } from './json-pieces.ts';

/** Small values between which large ones of each kind are placed. */
const large: fc.Arbitrary<Json> = fc
  .tuple(fc.jsonValue() as fc.Arbitrary<Json>, fc.constantFrom('list', 'object', 'text', 'deep'), fc.nat(30))
  .map(([value, kind, shift]): Json => {
    switch (kind) {
      case 'list':
        return Array.from({ length: 60_000 + shift }, (_, index) => (index % 40_000 === shift ? value : index));
      case 'object':
        return Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${shift}${index}`, value]));
      case 'text':
        return `${'x'.repeat(99_990 + shift)}${'🌍"\n'.repeat(30_000)}\ud800`;
      default:
        return [{ a: [[value, 'y'.repeat(120_000), value], value] }, value];
    }
  });

describe('the pieces of JSON', () => {
  test('are together what JSON.stringify returns', () => {
    const value = fc.oneof({ weight: 3, arbitrary: large }, { weight: 1, arbitrary: fc.jsonValue() }) as typeof large;
    const nested = fc.oneof(
      value,
      fc.array(value, { maxLength: 3 }),
      fc.dictionary(fc.string(), value, { maxKeys: 3 }),
    );
    fc.assert(
      fc.property(nested, (given) => {
        expect([...jsonPieces(given)].join('') === JSON.stringify(given)).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  test('leave out fields without a value, as JSON.stringify does', () => {
    const object = { a: undefined, b: 'x'.repeat(200_000), c: undefined, d: 1 } as unknown as Json;
    expect([...jsonPieces(object)].join('')).toBe(JSON.stringify(object));
  });

  test('are short, whatever is large', () => {
    const numbers = Array.from({ length: 300_000 }, (_, index) => index % 10);
    const names = Object.fromEntries(numbers.slice(0, 30_000).map((_, index) => [`a rather long name ${index}`, 1]));
    for (const value of [numbers, names, 'x'.repeat(1_000_000), [[{ numbers, names }]]]) {
      const lengths = [...jsonPieces(value)].map(({ length }) => length);
      expect(lengths.length).toBeGreaterThan(4);
      expect(Math.max(...lengths)).toBeLessThan(250_000);
    }
  });

  test('measure a large value once, however deep it is and however many values refer to it', () => {
    let read = 0;
    const item = {
      get text() {
        read += 1;
        return 'x'.repeat(1_000);
      },
    };
    let deep: Json = Array.from({ length: 200 }, () => item);
    for (let level = 0; level < 60; level += 1) deep = level % 2 === 0 ? { a: deep } : [deep];
    const pieces = [...jsonPieces(Array.from({ length: 20 }, () => deep))];
    expect(pieces.join('').length).toBeGreaterThan(20 * 200_000);
    // Each is written once for each reference, and measured: as a whole at each level the first time, and then alone.
    expect(read).toBeLessThan(3 * 20 * 200 + 60 * 200);
  });

  test('are written only as far as they are read', () => {
    let read = 0;
    const text = 'x'.repeat(200_000);
    const item = {
      get text() {
        read += 1;
        return text;
      },
    };
    const [first] = jsonPieces(Array.from({ length: 1000 }, () => item));
    expect(first).toBe('[');
    expect(read).toBeLessThan(10);
  });
});

test('writing JSON charges the meter in proportion to its length', () => {
  const spent = (length: number): number => {
    let steps = 0;
    const meter = new Meter(() => 0);
    meter.spend = (more) => {
      steps += more;
    };
    runThrough(writtenJson('x'.repeat(length), meter));
    return steps;
  };
  expect(spent(1_000_000)).toBeGreaterThan(50_000);
  expect(spent(10_000_000) / spent(1_000_000)).toBeCloseTo(10, 1);
});

test('writing JSON ends at the limit of the step, before the rest is written', () => {
  const work = writtenJson('x'.repeat(10_000_000), new Meter(() => 0, 20_000));
  expect(() => runThrough(work)).toThrow(expect.objectContaining({ code: 'work_limit' }));
});
