import { expect, it } from 'vitest';
import { notes } from './notes.ts';

it('has a text and is never a step', () => {
  expect(notes.config.safeParse({ text: 'Prices are in **cents**.' }).success).toBe(true);
  expect(notes.run).toBeUndefined();
});
