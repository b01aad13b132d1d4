import { expect, it } from 'vitest';
import { errorHandler } from './error-handler.ts';
import { perform } from './step.testkit.ts';

it('outputs the error from an error edge', async () => {
  const failure = { error: 'The server answered 500.', error_code: 'http_status', node_id: 'send' };
  expect(await perform(errorHandler, { input: failure })).toEqual({ outputs: { error: failure } });
});

it.each([
  ['a text', 'broken', 'broken'],
  ['a number', 7, '7'],
  ['a list', [1], '[1]'],
  ['nothing', null, null],
])('converts %s to an error', async (_name, input, error) => {
  const outputs = { error: { error, error_code: null, node_id: null } };
  expect(await perform(errorHandler, { input })).toEqual({ outputs });
});
