import { catalogue } from '@millrace/components';
import { type OutboundResponse, StepError } from '@millrace/core';
import { expect, test } from 'vitest';
import type { RunnerPorts } from '../../src/runner/ports.ts';
import { startRunning } from '../support/running.ts';

/** What the server does with each request. */
type Behaviour = number | '503 with Retry-After' | 'no answer' | 'timeout';

function answerOf(behaviour: Behaviour, signal: AbortSignal): Promise<OutboundResponse> {
  if (behaviour === 'no answer')
    return Promise.reject(new StepError('http_connection', 'No response.', { retryable: true }));
  if (behaviour === 'timeout') {
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
  const status = typeof behaviour === 'number' ? behaviour : 503;
  const headers: Record<string, string> = typeof behaviour === 'number' ? {} : { 'retry-after': '1' };
  const body = { size: 0, text: () => '', base64: () => '' };
  return Promise.resolve({ url: 'https://api.example/', isFromHome: true, status, headers, body });
}

/** How often a step with this config sends its request, when the server always does the same. */
async function sent(behaviour: Behaviour, config: object): Promise<number> {
  let requests = 0;
  const http: RunnerPorts['http'] = (_request, signal) => {
    requests += 1;
    return answerOf(behaviour, signal);
  };
  const running = await startRunning({ catalogue, http });
  const member = await running.addPerson('member');
  await running.addWorkflow(member.user, 'flow', {
    nodes: {
      start: 'trigger_manual',
      get: ['http_request', { url: 'https://api.example/', timeout_seconds: 5, ...config }],
    },
    edges: 'start -> get',
  });
  const { body } = await member.post('/api/v1/workflows/flow/execute/', {});
  const { execution_id: id } = body as { execution_id: string };
  const isOpen = async () => (await running.store.executions.byId(id))?.status !== 'failed';
  while (await isOpen()) {
    await running.settle();
    // Shorter than the timeout, so that an attempt whose answer is being read has time.
    running.time.advance(1_000);
  }
  return requests;
}

const transient: readonly Behaviour[] = ['no answer', 'timeout', 408, 425, 429, 500, 502, 503, 504];

test.each([
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
])('%s is sent again after every transient failure, and after no other', async (method) => {
  for (const behaviour of transient) expect([behaviour, await sent(behaviour, { method })]).toEqual([behaviour, 3]);
  for (const status of [400, 401, 404, 409, 422]) expect([status, await sent(status, { method })]).toEqual([status, 1]);
});

test.each([
  'POST',
  'PATCH',
  '{{ trigger.text or "POST" }}',
])('%s is sent again only if the server said that it has done nothing', async (method) => {
  const asked: readonly Behaviour[] = [429, '503 with Retry-After'];
  for (const behaviour of asked) expect([behaviour, await sent(behaviour, { method })]).toEqual([behaviour, 3]);
  for (const behaviour of transient.filter((each) => each !== 429)) {
    expect([behaviour, await sent(behaviour, { method })]).toEqual([behaviour, 1]);
  }
});

test('POST is sent again after every transient failure if the server recognises repeated requests, or by its policy', async () => {
  const policy = { retry: { max_attempts: 3, delay_ms: 1, on: 'transient' } };
  for (const extra of [{ idempotent: true }, policy]) {
    for (const behaviour of transient) {
      expect([behaviour, await sent(behaviour, { method: 'POST', ...extra })]).toEqual([behaviour, 3]);
    }
  }
});
