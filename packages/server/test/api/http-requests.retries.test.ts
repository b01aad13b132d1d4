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

/** How often a step with this config sends its request, for each of these behaviours of the server. */
async function sent(behaviours: readonly Behaviour[], config: object): Promise<readonly number[]> {
  const requests = behaviours.map(() => 0);
  const http: RunnerPorts['http'] = ({ url }, signal) => {
    const index = Number(url.split('/').at(-1));
    requests[index] = (requests[index] ?? 0) + 1;
    return answerOf(behaviours[index] ?? 'no answer', signal);
  };
  const running = await startRunning({ catalogue, http });
  const member = await running.addPerson('member');
  const ids: string[] = [];
  for (const index of behaviours.keys()) {
    const get = { url: `https://api.example/${index}`, timeout_seconds: 200, ...config };
    await running.addWorkflow(member.user, `flow-${index}`, {
      nodes: { start: 'trigger_manual', get: ['http_request', get] },
      edges: 'start -> get',
    });
    const { body } = await member.post(`/api/v1/workflows/flow-${index}/execute/`, {});
    ids.push((body as { execution_id: string }).execution_id);
  }
  const isOpen = async (id: string) => (await running.store.executions.byId(id))?.status !== 'failed';
  for (const id of ids) {
    while (await isOpen(id)) {
      await running.settle();
      // Much shorter than the timeout, so that an attempt whose answer is being read has time.
      running.time.advance(10_000);
    }
  }
  return requests;
}

const transient: readonly Behaviour[] = ['no answer', 'timeout', 408, 425, 429, 500, 502, 503, 504];
const asked: readonly Behaviour[] = [429, '503 with Retry-After'];
const others: readonly Behaviour[] = [400, 401, 404, 409, 422];

/** The same number for each behaviour. */
function times(count: number, behaviours: readonly Behaviour[]): readonly number[] {
  return behaviours.map(() => count);
}

test.each([
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  '{{ trigger.text or "GET" }}',
])('%s is sent again after every transient failure, and after no other', async (method) => {
  const counts = await sent([...transient, ...others], { method });
  expect(counts).toEqual([...times(3, transient), ...times(1, others)]);
});

test.each([
  'POST',
  'PATCH',
  '{{ trigger.text or "POST" }}',
])('%s is sent again only if the server said that it has done nothing', async (method) => {
  const unclear = transient.filter((each) => each !== 429);
  expect(await sent([...asked, ...unclear], { method })).toEqual([...times(3, asked), ...times(1, unclear)]);
});

test.each([
  { idempotent: true },
  { retry: { max_attempts: 3, delay_ms: 1, on: 'transient' } },
])('POST is sent again after every transient failure with %j', async (config) => {
  expect(await sent(transient, { method: 'POST', ...config })).toEqual(times(3, transient));
});
