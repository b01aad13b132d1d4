import { expect, test } from 'vitest';
import { type Guesser, LoginGuard } from './login-guard.ts';

const hour = 60 * 60 * 1000;

function guarded() {
  let now = 1000;
  const guard = new LoginGuard({ monotonic: () => now });
  const wait = (ms: number): void => {
    now += ms;
  };
  const guesser = (parts: Partial<Guesser>): Guesser => ({ account: 'a', network: 'n', known: null, ...parts });
  /** Guesses wrong; returns the delay, or 0 if the guess was checked. */
  const wrong = (parts: Partial<Guesser> = {}): number => {
    const guess = guard.begin(guesser(parts));
    return typeof guess === 'number' ? guess : 0;
  };
  const right = (parts: Partial<Guesser> = {}): number => {
    const guess = guard.begin(guesser(parts));
    if (typeof guess === 'number') return guess;
    guess.right();
    return 0;
  };
  const isKnown = (parts: Partial<Guesser>): boolean => {
    const guess = guard.begin(guesser(parts));
    if (typeof guess === 'number') throw new Error('The guess was delayed.');
    guess.withdraw();
    return guess.isKnown;
  };
  const times = (count: number, guess: (index: number) => number): number[] =>
    Array.from({ length: count }, (_, index) => guess(index));
  return { wait, wrong, right, isKnown, times };
}

test('20 wrong guesses are free, and then one a minute is checked', () => {
  const { wrong, wait, times } = guarded();
  expect(times(20, () => wrong())).toEqual(Array(20).fill(0));
  const delays = times(9, () => {
    const delay = wrong();
    wait(delay);
    expect(wrong()).toBe(0);
    return delay;
  });
  expect(delays).toEqual(Array(9).fill(60_000));
});

test('wrong guesses are forgotten after an hour without one', () => {
  const { wrong, wait, times } = guarded();
  times(21, () => wrong());
  wait(hour);
  expect(times(20, () => wrong())).toEqual(Array(20).fill(0));
});

test('a right guess is not counted, and does not forgive the wrong ones before it', () => {
  const { wrong, right, wait, times } = guarded();
  times(50, () => right());
  times(19, () => wrong());
  expect(right()).toBe(0);
  expect(wrong()).toBe(0);
  expect(right()).toBe(60_000);
  wait(60_000);
  expect(right()).toBe(0);
  expect(wrong()).toBe(0);
  expect(wrong()).toBe(60_000);
});

test('guesses that began at the same time are counted before they are checked', () => {
  const { wrong, times } = guarded();
  expect(times(100, () => wrong()).filter((delay) => delay === 0)).toHaveLength(20);
});

test('guesses of many networks for one account are delayed together', () => {
  const { wrong, times } = guarded();
  // The first guess of a network is free; the second counts with those of the others.
  times(25, (index) => wrong({ network: `n${index}` }));
  expect(wrong({ network: 'n0' })).toBeGreaterThan(0);
  expect(wrong({ network: 'n0', account: 'b' })).toBe(0);
  times(100, (index) => wrong({ network: `m${index}` }));
  expect(wrong({ network: 'another' })).toBeGreaterThan(0);
});

test('guesses for many accounts from one network are delayed together', () => {
  const { wrong, times } = guarded();
  times(20, (index) => wrong({ account: `a${index}` }));
  expect(wrong({ account: 'another' })).toBe(60_000);
  expect(wrong({ account: 'another', network: 'another' })).toBe(0);
});

test('upper and lower case of a name are the same account', () => {
  const { wrong, times } = guarded();
  times(25, (index) => wrong({ account: index % 2 === 0 ? 'A' : 'a', network: `n${index}` }));
  expect(wrong({ account: 'A', network: 'n0' })).toBeGreaterThan(0);
});

test('a flood of wrong guesses delays nobody whose browser, network or key is known', () => {
  const { wrong, right, isKnown, times } = guarded();
  right({ network: 'home' });
  times(500, (index) => wrong({ network: `n${index % 250}` }));
  times(30, () => wrong({ network: 'office' }));
  expect(wrong({ network: 'new' })).toBeGreaterThan(0);
  expect(right({ network: 'home' })).toBe(0);
  expect(right({ network: 'office', known: 'browser' })).toBe(0);
  expect([isKnown({ network: 'home' }), isKnown({ network: 'office', known: 'browser' })]).toEqual([true, true]);
  expect(isKnown({ network: 'first', account: 'b' })).toBe(false);
});

test('a known browser has a limit of its own', () => {
  const { wrong, times } = guarded();
  times(20, () => wrong({ known: 'browser' }));
  expect(wrong({ known: 'browser' })).toBe(60_000);
  expect(wrong({ known: 'other browser' })).toBe(0);
  expect(wrong()).toBe(0);
});

test('a network is familiar for 30 days after a login, and for the account that logged in', () => {
  const { right, isKnown, wait } = guarded();
  right({ network: 'home' });
  wait(30 * 24 * hour - 1);
  expect(isKnown({ network: 'home' })).toBe(true);
  expect(isKnown({ network: 'home', account: 'b' })).toBe(false);
  wait(1);
  expect(isKnown({ network: 'home' })).toBe(false);
});
