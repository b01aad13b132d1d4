import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slowSteps } from '../../../test/support/slow-steps.ts';
import { jsonInPieces } from './json-in-pieces.ts';

test('writes the same JSON as JSON.stringify', async () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.array(fc.jsonValue()));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), value), async (object) => {
      expect(await jsonInPieces(object)).toBe(JSON.stringify(object));
    }),
  );
});

test('lets others have the event loop between large parts', async () => {
  slowSteps();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const large = 'x'.repeat(200_000);
  await jsonInPieces({ a: large, logs: [large, large, large], b: large });
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(5);
});
