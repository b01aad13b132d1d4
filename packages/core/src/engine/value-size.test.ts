import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSize } from '../expression/json/json-size.ts';
import type { Json, JsonObject } from '../json.ts';
import { valueSize } from './value-size.ts';

/** The number of lists and objects in a value, itself included. */
function containersIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((sum, inner) => sum + containersIn(inner), 0);
}

test('the size of outputs and of items is that of their JSON with 22 for each list and object, also when they are measured again', () => {
  const large = Array.from({ length: 20_000 }, (_, index) => index);
  const values = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
  fc.assert(
    fc.property(values, fc.boolean(), (given, isLarge) => {
      const value = given as JsonObject | readonly Json[];
      const measured = isLarge ? { value, large } : value;
      const size = jsonSize(measured, Number.POSITIVE_INFINITY) + 22 * containersIn(measured);
      expect(valueSize(measured)).toBe(size);
      expect(valueSize(measured)).toBe(size);
    }),
  );
});
