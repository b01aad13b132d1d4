import { describe, expect, it } from 'vitest';
import { FailedAuth } from './failed-auth.ts';

function watched(): { failedAuth: FailedAuth; wait: (ms: number) => void } {
  let now = 0;
  const failedAuth = new FailedAuth({ monotonic: () => now });
  const wait = (ms: number): void => {
    now += ms;
  };
  return { failedAuth, wait };
}

function fail(failedAuth: FailedAuth, address: string, times: number): (number | null)[] {
  return Array.from({ length: times }, () => failedAuth.count(address));
}

describe('failed authentications', () => {
  it('are answered 20 times a minute, then rejected for the rest of the minute', () => {
    const { failedAuth, wait } = watched();
    expect(fail(failedAuth, 'a', 20)).toEqual(Array(20).fill(null));
    wait(15_000);
    expect(failedAuth.count('a')).toBe(45);
    wait(45_000);
    expect(failedAuth.count('a')).toBeNull();
  });

  it('are counted per address', () => {
    const { failedAuth } = watched();
    fail(failedAuth, 'a', 21);
    expect(failedAuth.count('b')).toBeNull();
  });

  it('of the oldest addresses are deleted when there are too many', () => {
    const { failedAuth } = watched();
    fail(failedAuth, 'first', 21);
    for (let index = 0; index < 10_000; index++) failedAuth.count(`other ${index}`);
    expect(failedAuth.count('first')).toBeNull();
  });
});
