import { expect, test } from 'vitest';
import { addAnswer, type ModelAnswer, noUsage } from './model.ts';

const prices = { input: 3, cachedInput: 0.3, output: 15 };
const answer = (tokens: Partial<ModelAnswer>): ModelAnswer => ({
  text: '',
  stop: 'end',
  inputTokens: 0,
  outputTokens: 0,
  ...tokens,
});

test.each([
  ['all tokens at their price', { inputTokens: 1_000_000, outputTokens: 2_000_000 }, 33],
  ['cached tokens at their own price', { inputTokens: 1_000_000, cachedInputTokens: 900_000 }, 0.57],
  ['no more cached tokens than tokens', { inputTokens: 1_000_000, cachedInputTokens: 5_000_000 }, 0.3],
])('the cost counts %s', (_what, tokens, cost) => {
  expect(addAnswer(noUsage, answer(tokens), prices).costUsd).toBeCloseTo(cost, 10);
});
