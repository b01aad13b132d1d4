import { expect, test } from 'vitest';
import type { ExecutionDetail } from '../api/executions.ts';
import { recordedTest } from './recorded-test.ts';

const execution = {
  workflow_slug: 'orders',
  trigger_node_id: 'start',
  trigger_payload: { page: 1 },
  accepted_at: '2026-01-31T12:00:00.000000',
  status: 'completed',
  final_output: 'Done.',
  error_code: null,
  error_node_id: null,
} as unknown as ExecutionDetail;
const http = [{ request: { url: 'https://orders.example' }, response: { status: 200 } }];

test('the test of a completed run has its payload, its recording and its output', () => {
  expect(JSON.parse(recordedTest(execution, { http }))).toEqual({
    workflow: 'orders.yaml',
    tests: [
      {
        name: 'As recorded on 2026-01-31',
        trigger: 'start',
        payload: { page: 1 },
        http,
        expect: { final_output: 'Done.' },
      },
    ],
  });
});

test('the test of a failed run expects the failure', () => {
  const failed = { ...execution, status: 'failed', error_code: 'http_status', error_node_id: 'load' } as const;
  expect(JSON.parse(recordedTest(failed, {})).tests[0].expect).toEqual({
    status: 'failed',
    error: { node: 'load', code: 'http_status' },
  });
});
