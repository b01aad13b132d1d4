import { describe, expect, it } from 'vitest';
import { Rates } from './rates.ts';

function watched(): { take: (id?: number, perMinute?: number) => number | null; wait: (ms: number) => void } {
  let now = 1000;
  const rates = new Rates({ monotonic: () => now });
  return {
    take: (id = 1, perMinute = 3) => rates.take(id, perMinute),
    wait: (ms) => {
      now += ms;
    },
  };
}

describe('a rate', () => {
  it('lets so many through at once, then one as soon as it says', () => {
    const { take, wait } = watched();
    expect([take(), take(), take(), take(), take()]).toEqual([null, null, null, 20, 20]);
    wait(19_000);
    expect(take()).toBe(1);
    wait(1000);
    expect([take(), take()]).toEqual([null, 20]);
  });

  it('lets through all that come evenly', () => {
    const { take, wait } = watched();
    for (let index = 0; index < 1000; index++) {
      expect(take(1, 7)).toBeNull();
      wait(60_000 / 7);
    }
  });

  it('lets through no more than its number in any minute, beyond the first', () => {
    const { take, wait } = watched();
    let taken = 0;
    for (let second = 0; second < 600; second++) {
      while (take(1, 10) === null) taken += 1;
      wait(1000);
    }
    expect(taken).toBe(10 + 99);
  });

  it('is counted for each', () => {
    const { take } = watched();
    expect([take(1, 1), take(1, 1), take(2, 1)]).toEqual([null, 60, null]);
  });

  it('of endless many is forgotten, first come first', () => {
    const { take } = watched();
    take(0, 1);
    for (let id = 1; id <= 10_000; id++) take(id, 1);
    expect([take(10_000, 1), take(0, 1)]).toEqual([60, null]);
  });
});
