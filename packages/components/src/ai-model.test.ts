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
