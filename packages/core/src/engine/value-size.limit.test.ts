import { expect, test } from 'vitest';
import { valueSize } from './value-size.ts';

test('the measuring of a value that is referenced thousands of times stops at the limit', () => {
  let reads = 0;
  const item = {
    get text() {
      reads += 1;
      return 'x'.repeat(100);
    },
  };
  const list = Array.from({ length: 100 }, () => item);
  const references = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`a${index}`, list]));
  // Deeper than the levels at which a known value is looked up.
  const outputs = { x: { y: { references } } };
  expect(valueSize(outputs, 50_000)).toBeGreaterThan(50_000);
  expect(reads).toBeLessThan(1000);
});
