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
  it("allows a full minute's requests at once, then the next one after the time that it returns", () => {
    const { take, wait } = watched();
    expect([take(), take(), take(), take(), take()]).toEqual([null, null, null, 20, 20]);
    wait(19_000);
    expect(take()).toBe(1);
    wait(1000);
    expect([take(), take()]).toEqual([null, 20]);
  });

  it('allows all requests that come evenly', () => {
    const { take, wait } = watched();
    for (let index = 0; index < 1000; index++) {
      expect(take(1, 7)).toBeNull();
      wait(60_000 / 7);
    }
  });

  it('allows no more than its number in any minute after the first', () => {
    const { take, wait } = watched();
    let taken = 0;
    for (let second = 0; second < 600; second++) {
      while (take(1, 10) === null) taken += 1;
      wait(1000);
    }
    expect(taken).toBe(10 + 99);
  });

  it('is counted separately for each workflow', () => {
    const { take } = watched();
    expect([take(1, 1), take(1, 1), take(2, 1)]).toEqual([null, 60, null]);
  });

  it('that was tracked first is dropped if there are too many', () => {
    const { take } = watched();
    take(0, 1);
    for (let id = 1; id <= 10_000; id++) take(id, 1);
    expect([take(10_000, 1), take(0, 1)]).toEqual([60, null]);
  });
});
