import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { exactJson, exactJsonInSlices, exactJsonText, exactNumber } from './exact-json.ts';

describe('a value as JSON', () => {
  it('is read as the same value, also if it has large numbers', () => {
    expect(exactJsonText({ n: [1e20, -(2 ** 53), 1e300, 0.1], s: '12345678901234567890' })).toBe(
      '{"n":[1e+20,-9.007199254740992e+15,1e+300,0.1],"s":"12345678901234567890"}',
    );
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());
    const large = fc.tuple(number, fc.integer({ min: 0, max: 30 })).map(([n, digits]) => Math.trunc(n) * 10 ** digits);
    const value = fc.dictionary(fc.string(), fc.oneof(number, large.filter(Number.isFinite), fc.bigInt().map(String)));
    fc.assert(
      fc.property(value, fc.nat(2), (given, indent) => {
        const same = JSON.parse(JSON.stringify(given));
        expect(exactJson(exactJsonText(given, indent))).toEqual(same);
      }),
    );
  });
});

describe('numbers of JSON from outside', () => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740991', -9007199254740991],
    ['-9007199254740992', '-9007199254740992'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1e400', '1e400'],
    ['-1E+400', '-1E+400'],
    ['1e0000400', '1e0000400'],
    [`${'9'.repeat(310)}.5`, `${'9'.repeat(310)}.5`],
    ['1.7976931348623157e308', 1.7976931348623157e308],
    ['1.8e308', '1.8e308'],
    ['1e-400', 0],
    ['1e22', 1e22],
    ['9007199254740993.0', 9007199254740992],
    ['0.12345678901234567890', 0.12345678901234568],
    ['-0', -0],
  ])('%s is %j', (text, value) => {
    expect(exactJson(text)).toBe(value);
    expect(exactJson(`{"id":${text},"list":[ ${text} ,\n${text}\t]}`)).toEqual({ id: value, list: [value, value] });
  });

  it('are not looked for inside strings and names', () => {
    const text = String.raw`{"1234567890123456789": "id 1234567890123456789, 1e400", "\"1e400": "\\", "n": 1e400}`;
    expect(exactJson(text)).toEqual({ ...(JSON.parse(text) as object), n: '1e400' });
  });

  it('are as they were written, in any JSON', () => {
    fc.assert(
      fc.property(written(), fc.nat(3), ({ text, value }, indent) => {
        const pretty = indent === 0 ? text : text.replaceAll(',', `,${' '.repeat(indent)}`);
        fc.pre(indent === 0 || !text.includes('"'));
        expect(exactJson(pretty)).toEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('are read with pauses when there are many', () => {
    const work = exactJsonInSlices(`[${'1e400,'.repeat(25_000)}1]`);
    expect(work.next().done).toBe(false);
    expect(work.next().done).toBe(false);
    const { done, value } = work.next();
    expect(done).toBe(true);
    expect((value as Json[]).slice(-2)).toEqual(['1e400', 1]);
  });

  it.each([
    '[1e400,]',
    '[12345678901234567890',
    '"1e400',
    '12345678901234567890 1',
    '9e4000e',
    '',
  ])('do not make JSON of %j, and the error names its place', (text) => {
    expect(errorOf(() => exactJson(text))).toBe(errorOf(() => JSON.parse(text)));
    expect(errorOf(() => exactJson(text))).toMatch(/^SyntaxError/);
  });
});

function errorOf(parse: () => unknown): string {
  try {
    parse();
    return 'none';
  } catch (error) {
    return String(error);
  }
}

/** JSON as it is written, with its value. */
interface Written {
  readonly text: string;
  readonly value: Json;
}

function written(): fc.Arbitrary<Written> {
  const digits = fc.stringMatching(/^(?:0|[1-9][0-9]{0,24})$/);
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,20}$/));
  const exponent = fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/));
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits, fraction, exponent)
    .map((parts) => parts.join(''))
    .map((text) => ({ text, value: exactNumber(text) }));
  const string = fc
    .oneof(
      fc.string(),
      number.map(({ text }) => text),
    )
    .map((value) => ({ text: JSON.stringify(value), value }));
  return fc.letrec<{ any: Written }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      number,
      string,
      fc.constantFrom<Json>(null, true, false).map((value) => ({ text: JSON.stringify(value), value })),
      fc.array(tie('any')).map((items) => ({
        text: `[${items.map(({ text }) => text).join(',')}]`,
        value: items.map(({ value }) => value),
      })),
      fc.dictionary(fc.string(), tie('any')).map((fields) => ({
        text: `{${Object.entries(fields)
          .map(([name, { text }]) => `${JSON.stringify(name)}:${text}`)
          .join(',')}}`,
        value: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
      })),
    ),
  })).any;
}
