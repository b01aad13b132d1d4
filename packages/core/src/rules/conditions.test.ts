import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Meter } from '../base/meter.ts';
import type { Json } from '../json.ts';
import { type Condition, conditionHolds, type Operator, type operatorFamilies, operators } from './conditions.ts';

const ports = {
  matches: (pattern: string, text: string) => text.includes(pattern),
  meter: new Meter(() => 0, Number.POSITIVE_INFINITY),
};

function holds(actual: Json | undefined, operator: Operator, value?: Json): boolean {
  return conditionHolds({ field: 'x', operator, value }, actual, ports);
}

const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
/** Numbers whose text has the same value: of a large integer, it is another integer nearby. */
const number = fc
  .oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((n) => Number.isSafeInteger(n) || !/^-?\d+$/.test(String(n)));
const writtenNumber = number.chain((n) => fc.constantFrom<Json>(n, String(n), ` ${n} `));
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
const writtenTime = instant.chain((at) => fc.constantFrom<Json>(at, new Date(at).toISOString()));
const flag = fc.constantFrom<Json>(true, false, 'true', 'false');
const few = fc.integer({ min: 0, max: 4 });

/** For each family, values that its operators accept: the compared values and the values to compare with. */
const families: Record<keyof typeof operatorFamilies, [fc.Arbitrary<Json | undefined>, fc.Arbitrary<Json>]> = {
  any: [fc.oneof(json, fc.constant(undefined)), fc.constant(null)],
  text: [scalar, scalar],
  number: [writtenNumber, writtenNumber],
  time: [writtenTime, writtenTime],
  boolean: [flag, fc.constant(null)],
  array: [fc.array(json, { maxLength: 5 }), few],
};

const negations: readonly (readonly [keyof typeof operatorFamilies, Operator, Operator])[] = [
  ['any', 'exists', 'does_not_exist'],
  ['any', 'is_empty', 'is_not_empty'],
  ['text', 'equals', 'not_equals'],
  ['text', 'contains', 'not_contains'],
  ['text', 'starts_with', 'not_starts_with'],
  ['text', 'ends_with', 'not_ends_with'],
  ['text', 'matches_regex', 'not_matches_regex'],
  ['number', 'gt', 'lte'],
  ['number', 'lt', 'gte'],
  ['time', 'after', 'before_or_equal'],
  ['time', 'before', 'after_or_equal'],
  ['boolean', 'is_true', 'is_false'],
  ['array', 'length_eq', 'length_neq'],
  ['array', 'length_gt', 'length_lte'],
  ['array', 'length_lt', 'length_gte'],
];

describe('an operator and its negation', () => {
  it('cover all operators', () => {
    expect(negations.flatMap(([, a, b]) => [a, b]).sort()).toEqual([...operators].sort());
  });

  it.each(negations)('of the %s family disagree for every value: %s, %s', (family, operator, negation) => {
    const [actual, value] = families[family];
    fc.assert(fc.property(actual, value, (a, v) => holds(a, operator, v) !== holds(a, negation, v)));
  });

  it('disagree for every JSON value if they test equality or lists', () => {
    fc.assert(fc.property(json, json, (a, v) => holds(a, 'equals', v) !== holds(a, 'not_equals', v)));
    fc.assert(fc.property(fc.array(json), json, (a, v) => holds(a, 'contains', v) !== holds(a, 'not_contains', v)));
  });
});

describe('conditions on any value', () => {
  it('treat null as existing, and only a missing field as not existing', () => {
    expect(holds(null, 'exists')).toBe(true);
    expect(holds(undefined, 'exists')).toBe(false);
  });

  it('treat null, empty text, lists and objects and missing fields as empty, but not 0 and false', () => {
    for (const empty of [null, '', [], {}, undefined]) expect(holds(empty, 'is_empty')).toBe(true);
    for (const full of [0, false, ' ', [null], { a: null }]) expect(holds(full, 'is_empty')).toBe(false);
  });
});

describe('conditions on text', () => {
  it('agree with the text methods of JavaScript', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 2 }), (a, v) => {
        expect(holds(a, 'contains', v)).toBe(a.includes(v));
        expect(holds(a, 'starts_with', v)).toBe(a.startsWith(v));
        expect(holds(a, 'ends_with', v)).toBe(a.endsWith(v));
        expect(holds(a, 'matches_regex', v)).toBe(a.includes(v));
      }),
    );
  });

  it('convert numbers and booleans to text', () => {
    expect(holds(42, 'starts_with', '4')).toBe(true);
    expect(holds('yes: true', 'ends_with', true)).toBe(true);
  });

  it('treat a number or boolean as equal to its text', () => {
    expect(holds(5, 'equals', '5')).toBe(true);
    expect(holds('5.0', 'equals', 5)).toBe(true);
    expect(holds(5, 'equals', '5.0')).toBe(true);
    expect(holds('5.0', 'equals', '5')).toBe(false);
    expect(holds(true, 'equals', 'true')).toBe(true);
    expect(holds('false', 'equals', false)).toBe(true);
    expect(holds(1, 'equals', true)).toBe(false);
    expect(holds('', 'equals', 0)).toBe(false);
    expect(holds(null, 'equals', '')).toBe(false);
  });

  it('compare lists and objects as a whole, in any order of keys', () => {
    expect(holds({ a: [1], b: null }, 'equals', { b: null, a: [1] })).toBe(true);
    expect(holds({ a: 1 }, 'equals', { a: 1, b: 1 })).toBe(false);
    expect(holds([1, 2], 'equals', [2, 1])).toBe(false);
  });

  it('search for an item in a list', () => {
    expect(holds(['a', 5], 'contains', '5')).toBe(true);
    expect(holds(['abc'], 'contains', 'b')).toBe(false);
  });

  it('compare values nested deeper than the stack', () => {
    let deep: Json = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(holds(deep, 'equals', deep)).toBe(true);
    expect(holds(deep, 'equals', [deep])).toBe(false);
  });

  it('ignore keys that an object only inherits', () => {
    expect(holds(JSON.parse('{"__proto__": 1}'), 'equals', { constructor: 1 })).toBe(false);
    expect(holds({ a: 1 }, 'equals', JSON.parse('{"__proto__": 1}'))).toBe(false);
  });
});

describe('conditions on numbers', () => {
  it('agree with the order of numbers in any notation', () => {
    fc.assert(
      fc.property(writtenNumber, writtenNumber, (a, v) => {
        expect(holds(a, 'gt', v)).toBe(Number(a) > Number(v));
        expect(holds(a, 'gte', v)).toBe(Number(a) >= Number(v));
        expect(holds(a, 'lt', v)).toBe(Number(a) < Number(v));
        expect(holds(a, 'lte', v)).toBe(Number(a) <= Number(v));
      }),
    );
  });

  it.each(['', ' ', 'ten', '0x10', 'Infinity', '1e999', '1 2', null, true, [], {}])('do not accept %j', (value) => {
    expect(() => holds(value, 'gt', 1)).toThrow(/'x' is .*, but 'gt' takes a number/);
    expect(() => holds(1, 'gt', value)).toThrow(/'gt' compares 'x' with must be a number/);
  });
});

describe('conditions on times', () => {
  it('agree with the order of points in time, as ISO text or in milliseconds', () => {
    fc.assert(
      fc.property(writtenTime, writtenTime, (a, v) => {
        const [left, right] = [new Date(a as string | number).getTime(), new Date(v as string | number).getTime()];
        expect(holds(a, 'after', v)).toBe(left > right);
        expect(holds(a, 'after_or_equal', v)).toBe(left >= right);
        expect(holds(a, 'before', v)).toBe(left < right);
        expect(holds(a, 'before_or_equal', v)).toBe(left <= right);
      }),
    );
  });

  it('respect the offset, and assume UTC if there is none', () => {
    expect(holds('2026-03-01T12:00:00+02:00', 'before', '2026-03-01T10:30:00Z')).toBe(true);
    expect(holds('2026-03-01T12:00', 'after', '2026-03-01T11:59:59.999Z')).toBe(true);
    expect(holds('2026-03-02', 'after', '2026-03-01T23:59:59.999999')).toBe(true);
  });

  it.each([
    'yesterday',
    '2026',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T25:00',
    '',
    null,
  ])('do not accept %j', (value) => {
    expect(() => holds(value, 'after', 0)).toThrow(/takes a time/);
  });
});

describe('conditions on booleans and lists', () => {
  it('accept true and false, also as text, but no other truthy values', () => {
    expect(holds('true', 'is_true')).toBe(true);
    expect(holds(false, 'is_false')).toBe(true);
    for (const value of [1, 'yes', '', null]) expect(() => holds(value, 'is_true')).toThrow(/takes true or false/);
  });

  it('compare the length of a list with a number', () => {
    fc.assert(
      fc.property(fc.array(fc.constant<Json>(0), { maxLength: 4 }), few, (list, n) => {
        expect(holds(list, 'length_eq', n)).toBe(list.length === n);
        expect(holds(list, 'length_gt', n)).toBe(list.length > n);
        expect(holds(list, 'length_gte', n)).toBe(list.length >= n);
        expect(holds(list, 'length_lt', n)).toBe(list.length < n);
      }),
    );
    expect(() => holds('four', 'length_eq', 4)).toThrow("'x' is text, but 'length_eq' takes a list.");
  });
});

describe('a condition that cannot be decided', () => {
  it('reports input for the field and config for the value', () => {
    const condition: Condition = { field: 'trigger.payload.n', operator: 'gt' };
    expect(() => conditionHolds({ ...condition, value: 1 }, [], ports)).toThrow(
      expect.objectContaining({ code: 'input', message: "'trigger.payload.n' is a list, but 'gt' takes a number." }),
    );
    expect(() => conditionHolds(condition, 1, ports)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it('is one on the text of a missing field', () => {
    expect(() => holds(undefined, 'equals', 'a')).toThrow(expect.objectContaining({ code: 'input' }));
  });
});

describe('integers that a double cannot hold', () => {
  const [larger, large] = ['9007199254740993', '9007199254740992'];

  it.each<[Json, Operator, Json]>([
    [larger, 'gt', large],
    [large, 'lt', larger],
    [larger, 'gt', 9007199254740991],
    [`-${larger}`, 'lt', `-${large}`],
    [` +000${larger} `, 'gt', large],
    ['10000000000000000000', 'gt', larger],
    [2 ** 53, 'equals', large],
    [larger, 'not_equals', 2 ** 53],
    [2 ** 53, 'not_equals', larger],
    [[2 ** 53], 'not_contains', larger],
    [[], 'length_neq', larger],
    [[], 'length_lt', larger],
  ])('are compared exactly: %j %s %j', (actual, operator, value) => {
    expect(holds(actual, operator, value)).toBe(true);
  });

  it('have the order of their values', () => {
    const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
    fc.assert(
      fc.property(integer, integer, (left, right) => {
        expect(holds(String(left), 'lt', String(right))).toBe(left < right);
      }),
    );
  });
});
