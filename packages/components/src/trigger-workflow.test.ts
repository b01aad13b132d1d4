import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerWorkflow } from './trigger-workflow.ts';

it('outputs the payload from the calling workflow', async () => {
  const input = { payload: ['order', 7], text: 'please', headers: {}, query: {} };
  expect(await perform(triggerWorkflow, { input })).toEqual({ outputs: { payload: ['order', 7], text: 'please' } });
});
