import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedPart } from './changed-part.ts';

test('the changed part turns one text into the other, and is as short as their common ends allow', () => {
  const text = fc.stringMatching(/^[ab]{0,8}$/);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { from, to, insert } = changedPart(before, after);
      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
      expect(from).toBeLessThanOrEqual(to);
    }),
  );
  expect(changedPart('hello world', 'hello big world')).toEqual({ from: 6, to: 6, insert: 'big ' });
});
