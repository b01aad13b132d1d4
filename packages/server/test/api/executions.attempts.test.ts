import { catalogue } from '@millrace/components';
import { executionDetail } from '@millrace/contract';
import { type JsonObject, type OutboundRequest, StepError } from '@millrace/core';
import { expect, test } from 'vitest';
import { startRunning } from '../support/running.ts';

const seconds = 1000;
const body = {
  yes: '{{ ask.approve_url }}',
  no: '{{ nodes.ask.decline_url }}',
  hook: '{{ hook.callback_url }}',
  now: "{{ 'now' | date('HH:mm:ss.SSS') }}",
  run: '{{ run }}',
};

test('a step sends the same content with its Idempotency-Key at each attempt, also after its run failed and was retried', async () => {
  const sent: OutboundRequest[] = [];
  const http = (request: OutboundRequest) => {
    sent.push(request);
    return Promise.reject(new StepError('http_connection', 'It is down.', { retryable: true }));
  };
  const running = await startRunning({ catalogue, http });
  const { user, post, get } = await running.addPerson('member');
  const call = {
    url: 'https://example.com/',
    method: 'POST',
    body,
    retry: { max_attempts: 2, delay_ms: 60 * seconds },
  };
  await running.addWorkflow(user, 'asks', {
    nodes: {
      start: 'trigger_manual',
      slow: ['wait', { duration: 1, unit: 'hours' }],
      send: ['http_request', call],
      ask: ['human_confirmation', { prompt: 'Go?' }],
      hook: ['wait', { callback: true }],
    },
    edges: 'start -> slow\nslow -> send\nsend -> ask\nask -> hook',
  });
  const pass = async (ms: number) => {
    running.time.advance(ms);
    await running.settle();
  };
  const start = await post('/api/v1/workflows/asks/execute/', {});
  const path = `/api/v1/executions/${(start.body as JsonObject).execution_id}/`;
  await running.settle();
  await pass(3600 * seconds);
  await pass(61 * seconds);
  expect((await get(path)).body).toMatchObject({ status: 'failed' });
  await pass(90 * seconds);
  await post(`${path}retry/`);
  await running.settle();
  await pass(61 * seconds);
  expect(sent).toHaveLength(4);
  const [first, ...others] = sent.map((request) => ({ key: request.headers?.['idempotency-key'], body: request.body }));
  for (const other of others) expect(other).toEqual(first);
  expect(String(first?.body)).toContain('01:00:00.000');
});

test('every attempt after one approval shows who approved it, also after its run was retried', async () => {
  const http = () => Promise.reject(new StepError('http_connection', 'It is down.', { retryable: true }));
  const running = await startRunning({ catalogue, http });
  const { user, post, get } = await running.addPerson('ada');
  const call = { url: 'https://example.com/', retry: { max_attempts: 2, delay_ms: seconds } };
  const nodes = { start: 'trigger_manual', send: ['http_request', call] } as const;
  await running.addWorkflow(user, 'gated', { nodes, edges: 'start -> send' });
  await running.editNodes('gated', (node) => ({ ...node, interruptBefore: node.nodeId === 'send' }));
  const { body: started } = await post('/api/v1/workflows/gated/execute/', {});
  const path = `/api/v1/executions/${(started as JsonObject).execution_id}/`;
  const allAttempts = async () => {
    await running.settle();
    running.time.advance(2 * seconds);
    await running.settle();
  };
  await running.settle();
  await post(`${path}resume/`, { node_id: 'send', confirmed: true });
  await allAttempts();
  await post(`${path}retry/`);
  await allAttempts();
  const { logs } = executionDetail.parse((await get(path)).body);
  const attempts = logs.filter(({ node_id }) => node_id === 'send');
  expect(attempts).toHaveLength(4);
  for (const { metadata } of attempts) expect(metadata).toMatchObject({ answered_by: 'ada' });
});
