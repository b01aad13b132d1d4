import { executionDetail } from '@millrace/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemTimers } from '../../src/ground/clock.ts';
import { defaultCode } from '../../src/ground/config.ts';
import { promisedMs } from '../support/by-the-clock.ts';
import { type Member, WholeApp } from '../support/whole-app.ts';

/** The whole service with a workflow whose webhook leads to code. */
async function start(extra: object): Promise<Member> {
  // A time limit of the sandbox that no test reaches.
  const code = { ...defaultCode, limits: { ...defaultCode.limits, seconds: 3600 } };
  const app = await WholeApp.start(systemTimers, { host: '0.0.0.0', code });
  onTestFinished(() => app.close());
  const member = await app.member('author');
  const path = '/api/v1/workflows/wf';
  await member.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
  await member.post(`${path}/nodes/`, { node_id: 'hook', component_type: 'trigger_webhook' });
  const node = { node_id: 'compute', component_type: 'code', config: { extra_config: extra } };
  expect((await member.post(`${path}/nodes/`, node)).status).toBe(201);
  await member.post(`${path}/edges/`, { source_node_id: 'hook', target_node_id: 'compute' });
  return member;
}

async function run(member: Member, payload: unknown) {
  const answer = await member.post('/api/v1/webhooks/wf', payload);
  const { execution_id } = answer.body as { execution_id: string };
  for (;;) {
    const detail = executionDetail.parse((await member.get(`/api/v1/executions/${execution_id}/`)).body);
    if (detail.status === 'completed' || detail.status === 'failed') return detail;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a code node', () => {
  it('computes its output from the input, the trigger and other nodes', async () => {
    const code =
      'console.log("got", input.n); return { sum: input.n + trigger.payload.n + nodes.hook.payload.n, braces: "{{ x }}" }';
    const { final_output, logs } = await run(await start({ code }), { n: 2 });
    expect(final_output).toEqual({ sum: 6, braces: '{{ x }}' });
    expect(logs.at(-1)).toMatchObject({ node_id: 'compute', status: 'success', metadata: { console: ['got 2'] } });
  });

  it('fails with the error of its code and the position, and preserves what it printed before', async () => {
    const { status, logs } = await run(await start({ code: 'console.log("so far");\n  return b' }), {});
    expect(status).toBe('failed');
    expect(logs.at(-1)).toMatchObject({
      error_code: 'code_error',
      error: 'ReferenceError: b is not defined (at line 2, column 3)',
      metadata: { console: ['so far'] },
    });
  });

  it('ends with its step, at the time limit of the step and not of the sandbox', async () => {
    const began = performance.now();
    const { logs } = await run(await start({ code: 'for (;;);', timeout_seconds: 1, retry: { max_attempts: 1 } }), {});
    expect(logs.at(-1)).toMatchObject({ error_code: 'step_timeout' });
    expect(performance.now() - began).toBeLessThan(promisedMs(5000));
  });

  it('in Python is rejected when it is saved', async () => {
    const member = await start({ code: 'return 1' });
    const answer = await member.patch('/api/v1/workflows/wf/nodes/compute/', {
      config: { extra_config: { language: 'python', code: 'return 1' } },
    });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toMatch(/Python .* not installed/);
  });
});
