import { expect, it } from 'vitest';
import { aiModel } from './ai-model.ts';

it('outputs a model and is never a step', () => {
  expect(aiModel.outputs).toMatchObject([{ name: 'model', dataType: 'llm' }]);
  expect(aiModel.run).toBeUndefined();
});

it.each([
  [{ input_price: 0, output_price: 0.25 }, true],
  [{ input_price: -1 }, false],
  [{ output_price: '3' }, false],
])('accepts only numbers as prices: %j is valid: %s', (config, isOne) => {
  expect(aiModel.config.safeParse(config).success).toBe(isOne);
});

it.each([
  [{ reasoning_effort: 'xhigh', limit_key: 'max_completion_tokens', extra_body: { top_k: 40, metadata: {} } }, true],
  [{ reasoning_effort: 'Very high' }, false],
  [{ limit_key: 'tokens' }, false],
  [{ extra_body: { messages: [] } }, false],
  [{ extra_body: { stream: true } }, false],
  [{ extra_body: [] }, false],
])('passes settings of the provider, but none that it has itself: %j is valid: %s', (config, isOne) => {
  expect(aiModel.config.safeParse(config).success).toBe(isOne);
});
