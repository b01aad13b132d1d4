import { compileConfig } from '@millrace/core';
import { expect, it } from 'vitest';
import { notes } from './notes.ts';

it('has a text and is never a step', () => {
  expect(notes.config.safeParse({ text: 'Prices are in **cents**.' }).success).toBe(true);
  expect(notes.run).toBeUndefined();
});

it('may show an expression, also one that has errors', () => {
  const text = 'Not `{{ orders.(0) }}`, which is the first item, but `{{ orders[0] }}`.';
  expect(() => compileConfig({ text }, notes)).not.toThrow();
  expect(() => compileConfig({ text }, { ...notes, verbatim: [] })).toThrow();
});
