import { describe, expect, test } from 'vitest';
import { Meter, maxAttemptMs, maxAttemptSteps, runThrough, sliceMs } from './meter.ts';

const workLimit = expect.objectContaining({ code: 'work_limit', retryable: false });

describe('the meter of an attempt', () => {
  test('allows as many steps as the limit, and no more', () => {
    const meter = new Meter(() => 0);
    meter.spend(maxAttemptSteps - 1);
    meter.spendOnText(256);
    expect(() => meter.spend(1)).toThrow(workLimit);
  });

  test('ends work that takes too long, although it has steps left', () => {
    let now = 0;
    const meter = new Meter(() => now);
    now = maxAttemptMs;
    meter.spend(20_000);
    now += 1;
    expect(() => meter.spend(20_000)).toThrow(workLimit);
  });

  test('counts the time of its slices, not the time between them', () => {
    let now = 0;
    const meter = new Meter(() => now);
    for (let slice = 0; slice < 100; slice += 1) {
      now += sliceMs;
      expect(meter.isSliceOver).toBe(false);
      now += 1;
      expect(meter.isSliceOver).toBe(true);
      meter.endSlice();
      now += 1000;
      meter.beginSlice();
      meter.spend(11_000);
    }
    now += maxAttemptMs - 100 * (sliceMs + 1) + 1;
    expect(() => meter.spend(11_000)).toThrow(workLimit);
  });
});

test('sliced work has the same result without pauses', () => {
  function* sum() {
    let total = 0;
    for (let value = 1; value <= 4; value += 1) {
      total += value;
      yield;
    }
    return total;
  }
  expect(runThrough(sum())).toBe(10);
});
