import { ApiError } from '@millrace/client';
import { expect, it } from 'vitest';
import { outcomeOf, sendOperations } from './service.ts';

it.each([
  [409, { detail: 'stale', workflow: { version: 9, nodes: [], edges: [] } }, { kind: 'stale', graph: { version: 9 } }],
  [422, { detail: [{ type: 'x', loc: ['body', 'operations', 3, 'node'], msg: 'no' }] }, { kind: 'rejected', index: 3 }],
  [
    409,
    { detail: [{ type: 'conflict', loc: ['body', 'operations', 0], msg: 'taken' }] },
    { kind: 'rejected', message: 'taken' },
  ],
  [422, { detail: [{ type: 'x', loc: ['body', 'version'], msg: 'no' }] }, { kind: 'rejected', index: 0 }],
  [413, { detail: 'The body is too large.' }, { kind: 'rejected', index: 0, message: 'The body is too large.' }],
  [401, { detail: 'Log in.' }, { kind: 'blocked', message: 'Log in.' }],
  [404, { detail: 'Workflow not found.' }, { kind: 'blocked' }],
  [500, { detail: 'Something failed.' }, { kind: 'unknown' }],
  [503, {}, { kind: 'unknown' }],
  [429, { detail: 'Too many requests.' }, { kind: 'unknown' }],
])('a %i with the body %j means %j', (status, body, outcome) => {
  expect(outcomeOf(new ApiError(status, body))).toMatchObject(outcome);
});

it('a request that does not reach the service has an unknown outcome', async () => {
  const request = { requestId: 'one', version: 1, operations: [] };
  // A test has no page, so there is no origin to send it to.
  expect(await sendOperations('orders', request)).toEqual({ kind: 'unknown' });
});
