import { expect, it } from 'vitest';
import { VirtualTime } from './virtual-time.ts';

function ringing(time: VirtualTime) {
  const rung: [string, number][] = [];
  const start = time.clock.now();
  const ring = (name: string) => () => void rung.push([name, time.clock.now() - start]);
  return { rung, ring };
}

it('advancing fires every timer at its time, including timers set on the way', () => {
  const time = new VirtualTime();
  const { rung, ring } = ringing(time);
  time.timers.after(20, ring('b'));
  time.timers.after(10, () => {
    ring('a')();
    time.timers.after(5, ring('on the way'));
  });
  time.advance(30);
  expect([rung, time.pending]).toEqual([
    [
      ['a', 10],
      ['on the way', 15],
      ['b', 20],
    ],
    0,
  ]);
});

it('skipping fires due timers once, late and in order, and cancelled timers never', () => {
  const time = new VirtualTime();
  const { rung, ring } = ringing(time);
  const takeBack = time.timers.after(20, ring('taken back'));
  time.timers.after(10, () => {
    ring('a')();
    takeBack();
    time.timers.after(5, ring('a again'));
  });
  time.timers.after(30, ring('b'));
  time.timers.after(101, ring('later'));
  time.skip(100);
  expect(rung).toEqual([
    ['a', 100],
    ['b', 100],
  ]);
  expect([time.advanceToNext(), time.advanceToNext(), time.advanceToNext()]).toEqual([true, true, false]);
  expect(rung.slice(2)).toEqual([
    ['later', 101],
    ['a again', 105],
  ]);
});
