import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { applyState, type StateEntry, type StateRequest } from './state.ts';

const request = (operation: StateRequest['operation'], rest: Partial<StateRequest> = {}): StateRequest => ({
  operation,
  scope: null,
  key: 'k',
  value: null,
  ttlSeconds: null,
  ...rest,
});

/** The entry after operations at these moments, and what each put out. */
function runSequence(steps: readonly (readonly [StateRequest, number])[]) {
  let entry: StateEntry | null = null;
  const outputs = steps.map(([step, now]) => {
    const result = applyState(step, entry, now);
    if (result.entry !== 'same') entry = result.entry;
    return result.outputs;
  });
  return { entry: entry as StateEntry | null, outputs };
}

describe('the operations of state', () => {
  test('increments add up, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 })), (numbers) => {
        const { entry } = runSequence(numbers.map((value) => [request('increment', { value }), 0]));
        expect(entry?.value ?? 0).toBe(numbers.reduce((sum, number) => sum + number, 0));
      }),
    );
  });

  test('appends keep their order', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const { entry } = runSequence(values.map((value) => [request('append', { value: value as Json }), 0]));
        expect(entry?.value ?? []).toEqual(values);
      }),
    );
  });

  test('first_seen is new once in each period, and a repetition does not extend it', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 1 }), fc.integer({ min: 1, max: 100 }), (gaps, ttl) => {
        let now = 0;
        let until = Number.NEGATIVE_INFINITY;
        const steps = gaps.map((gap): [StateRequest, number] => {
          now += gap * 1000;
          return [request('first_seen', { value: true, ttlSeconds: ttl }), now];
        });
        const expected = steps.map(([, at]) => {
          const isNew = at >= until;
          if (isNew) until = at + ttl * 1000;
          return isNew;
        });
        expect(runSequence(steps).outputs.map((output) => output.is_new)).toEqual(expected);
      }),
    );
  });

  test.each<[StateRequest, Json]>([
    [request('increment', { value: 1 }), 'text'],
    [request('increment', { value: Number.MAX_VALUE }), Number.MAX_VALUE],
    [request('increment', { value: 'text' }), 1],
    [request('append', { value: 1 }), 1],
    [request('set', { value: 'x'.repeat(65_536) }), 1],
    [request('append', { value: 'x' }), ['x'.repeat(65_530)]],
  ])('a step fails where the operation does not fit: %o', (step, value) => {
    expect(() => applyState(step, { value, expiresAt: null }, 0)).toThrow();
  });
});

describe('an increment whose result would be rounded', () => {
  const increment = (before: Json, value: Json) =>
    applyState(request('increment', { value }), { value: before, expiresAt: null }, 0);

  test('is rejected', () => {
    expect(increment(2 ** 53 - 2, 1).outputs.value).toBe(2 ** 53 - 1);
    expect(increment(-1, '9007199254740991').outputs.value).toBe(2 ** 53 - 2);
    expect(() => increment(2 ** 53 - 1, 1)).toThrow('would be outside ±(2^53 − 1), where a sum is rounded');
    expect(() => increment(0, '9007199254740993')).toThrow("'value' has too many digits: integers outside");
    expect(() => increment('9007199254740993', 1)).toThrow("The value of 'k' is too large: integers outside");
  });
});
