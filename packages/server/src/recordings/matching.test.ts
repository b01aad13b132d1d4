import type { Exchange } from '@millrace/contract';
import { type Json, Meter, type OutboundRequest, StepError } from '@millrace/core';
import { expect, test } from 'vitest';
import { shown } from './difference.ts';
import { httpKind } from './http-kind.ts';
import { Matching } from './matching.ts';
import { memoryOf } from './memory.ts';

const still = () => new Meter(() => 0);
const requestWith = (body: Json): OutboundRequest => ({
  method: 'POST',
  url: 'https://x.example/a',
  headers: {},
  body: JSON.stringify(body),
});

/** Does work; the number of its pauses. */
function pausesOf(work: Generator<undefined, boolean, undefined>) {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = work.next();
    if (done === true) return { pauses, value };
  }
}

test('a comparison of many values has pauses', () => {
  const list = Array.from({ length: 300 }, (_, index) => index);
  const { pauses, value } = pausesOf(new Matching(still()).of({ contains: list }, list));
  expect(value).toBe(true);
  expect(pauses).toBeGreaterThan(100);
});

test('a list that is searched for too many items reaches the limit of the step', () => {
  const list = Array.from({ length: 24_000 }, (_, index) => index);
  const work = new Matching(still()).of({ contains: list.toReversed() }, list);
  expect(() => pausesOf(work)).toThrow(StepError);
});

test('the body of a request is read once for all entries', () => {
  const body = Array.from({ length: 10_000 }, (_, index) => index);
  const meter = still();
  const fits = httpKind.fitting(requestWith(body), meter);
  const entry: Exchange = { request: { method: 'POST', url: 'https://x.example/a', body: 1 }, fails: 'x' };
  for (let index = 0; index < 2000; index += 1) expect(pausesOf(fits(entry)).value).toBe(false);
  // Two thousand readings would be six million steps.
  meter.spend(2_000_000);
});

test('the hint of a comparison that takes too long is left out', () => {
  const list = Array.from({ length: 3000 }, (_, index) => index);
  const body = { contains: [...list.toReversed(), -1] };
  const given: Exchange = { request: { method: 'POST', url: 'https://x.example/a', body }, fails: 'x' };
  const recording = { given, name: 'http[0]', left: 1 };
  expect(httpKind.hint?.(requestWith(list), [recording])).toBe('');
  expect(httpKind.hint?.(requestWith([1]), [recording])).toContain('has a different body');
});

test('the memory of many small objects is more than that of a text of the same length', () => {
  const weight = (value: Json): number => {
    const work = memoryOf([value]);
    for (;;) {
      const { done, value: bytes } = work.next();
      if (done === true) return bytes;
    }
  };
  const objects = Array.from({ length: 50_000 }, () => ({}));
  const text = shown(objects).padEnd(150_000, 'x');
  expect(weight(objects)).toBeGreaterThan(50_000 * 60);
  expect(weight(text)).toBeLessThan(400_000);
});
