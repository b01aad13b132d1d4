import { expect, test } from 'vitest';
import { Batch } from './batch.ts';

/** A batch, what it delivers, and the tasks that are due. */
function collected() {
  const tasks: (() => void)[] = [];
  const delivered: (readonly number[])[] = [];
  const later = (fn: () => void): (() => void) => {
    tasks.push(fn);
    return () => void tasks.splice(tasks.indexOf(fn), 1);
  };
  return { batch: new Batch<number>((items) => delivered.push(items), later), tasks, delivered };
}

test('what arrives before the next task is delivered together, in order', () => {
  const { batch, tasks, delivered } = collected();
  for (let item = 0; item < 100; item += 1) batch.add(item);
  expect([tasks.length, delivered]).toEqual([1, []]);
  tasks.shift()?.();
  batch.add(100);
  tasks.shift()?.();
  expect(delivered).toEqual([Array.from({ length: 100 }, (_, item) => item), [100]]);
});

test('nothing is delivered after the end', () => {
  const { batch, tasks, delivered } = collected();
  batch.add(1);
  batch.end();
  expect([tasks, delivered]).toEqual([[], []]);
});
