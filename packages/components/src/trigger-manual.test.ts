import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerManual } from './trigger-manual.ts';

it('outputs the payload and the text that the execution was started with', async () => {
  const input = { payload: { a: [1] }, text: 'hello', headers: {}, query: {} };
  expect(await perform(triggerManual, { input })).toEqual({ outputs: { payload: { a: [1] }, text: 'hello' } });
});

it('outputs null and an empty text if there were none', async () => {
  expect(await perform(triggerManual, { input: {} })).toEqual({ outputs: { payload: null, text: '' } });
});
