import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerError } from './trigger-error.ts';

it('outputs the error with which it was started', async () => {
  const payload = {
    execution_id: 'x',
    workflow: 'orders',
    node_id: 'ship',
    error: 'No.',
    error_code: 'assertion',
    payload: 7,
  };
  const input = { payload, text: '', headers: {}, query: {} };
  expect(await perform(triggerError, { input })).toEqual({ outputs: { error: payload } });
});
