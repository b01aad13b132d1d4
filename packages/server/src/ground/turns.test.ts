import { beforeEach, expect, test } from 'vitest';
import { Turns } from './turns.ts';

let now: number;
let soon: (() => void)[];
let turns: Turns;
const done: string[] = [];

/** Work that takes a while. */
function work(name: string, ms: number): () => void {
  return () => {
    done.push(name);
    now += ms;
  };
}

/** The next turn of the event loop. */
function nextTurn(): void {
  for (const fn of soon.splice(0)) fn();
}

beforeEach(() => {
  now = 0;
  soon = [];
  done.length = 0;
  turns = new Turns({ clock: { monotonic: () => now }, timers: { soon: (fn) => void soon.push(fn) } });
});

test('work of one turn is done at once until it has taken a slice of time', () => {
  for (const name of ['a', 'b', 'c', 'd']) turns.take(work(name, 6));
  expect(done).toEqual(['a', 'b']);
  nextTurn();
  expect(done).toEqual(['a', 'b', 'c', 'd']);
});

test('work that waits is done in order, before work that comes later', () => {
  turns.take(work('a', 20));
  turns.take(work('b', 20));
  turns.take(work('c', 20));
  nextTurn();
  turns.take(work('d', 1));
  expect(done).toEqual(['a', 'b']);
  nextTurn();
  nextTurn();
  expect(done).toEqual(['a', 'b', 'c', 'd']);
});

test('a new turn has a slice of its own', () => {
  turns.take(work('a', 20));
  expect(turns.isOver).toBe(true);
  nextTurn();
  expect(turns.isOver).toBe(false);
  turns.take(work('b', 1));
  expect(done).toEqual(['a', 'b']);
});

test('work for a later turn is never done at once', () => {
  turns.later(work('a', 1));
  expect(done).toEqual([]);
  nextTurn();
  expect(done).toEqual(['a']);
});
