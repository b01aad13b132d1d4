import { expect, test } from 'vitest';
import { valueSize } from './value-size.ts';

/** An item of a list, and how often its text was read. */
function countedItem() {
  const counted = { reads: 0 };
  const item = {
    get text() {
      counted.reads += 1;
      return 'x'.repeat(100);
    },
  };
  return { counted, item };
}

/** The outputs of a step that refer to a value 2,000 times, deep inside. */
function referring(value: readonly { readonly text: string }[]) {
  return { x: { y: { z: Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`a${index}`, value])) } } };
}

test('the measuring of a value that is referenced thousands of times stops at the limit', () => {
  const { counted, item } = countedItem();
  expect(valueSize(referring(Array.from({ length: 50 }, () => item)), 50_000)).toBeGreaterThan(50_000);
  expect(counted.reads).toBeLessThan(1000);
});

test('a large value that is referenced thousands of times at any depth is measured once', () => {
  const { counted, item } = countedItem();
  const list = Array.from({ length: 1000 }, () => item);
  expect(valueSize(referring(list))).toBeGreaterThan(2000 * 100_000);
  expect(counted.reads).toBe(1000);
});
