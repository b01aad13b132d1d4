import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerManual } from './trigger-manual.ts';

it('puts out the payload and the text that the run was started with', async () => {
  const input = { payload: { a: [1] }, text: 'hello', headers: {}, query: {} };
  expect(await perform(triggerManual, { input })).toEqual({ outputs: { payload: { a: [1] }, text: 'hello' } });
});

it('puts out null and no text when there was none', async () => {
  expect(await perform(triggerManual, { input: {} })).toEqual({ outputs: { payload: null, text: '' } });
});
