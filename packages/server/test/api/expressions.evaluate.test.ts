import { expressionResult, maxEvaluatedText, maxShownValue } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { Chain } from '../support/chain.ts';

let scene: Chain;
beforeEach(async () => {
  scene = await Chain.open();
  await scene.add('chain', 'echo');
});

const path = '/api/v1/workflows/chain/expressions/evaluate/';

async function evaluate(body: object) {
  const answer = await scene.member.post(path, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return expressionResult.parse(answer.body);
}

describe('POST expressions/evaluate', () => {
  it('returns the value that the step of the node got, with its type and the execution', async () => {
    const { execution_id } = await scene.run('chain');
    const result = await evaluate({ text: 'n is {{ trigger.payload.n }}', node_id: 'second' });
    expect(result).toMatchObject({ status: 'value', value: 'n is 1', type: 'text', error: null });
    expect(result.execution).toMatchObject({ execution_id, status: 'completed' });
    expect(await evaluate({ text: '{{ first }}', node_id: 'second' })).toMatchObject({ type: 'object' });
    expect(await evaluate({ text: 'trigger.payload.n + 1', bare: true })).toMatchObject({ value: 2, type: 'number' });
  });

  it('knows only the nodes that ran before the node', async () => {
    await scene.run('chain');
    const { status, error } = await evaluate({ text: '{{ third }}', node_id: 'second' });
    expect({ status, error }).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining("node 'third' has not run yet"), line: 1, column: 4, offset: 3 },
    });
    expect(await evaluate({ text: '{{ third }}' })).toMatchObject({ status: 'value' });
  });

  it('has no data before the first execution, except for texts that need none', async () => {
    expect(await evaluate({ text: '{{ trigger.payload.n }}' })).toMatchObject({ status: 'no_data', execution: null });
    expect(await evaluate({ text: '{{ 1 + 1 }}' })).toMatchObject({ status: 'value', value: 2 });
    expect(await evaluate({ text: '{{ 1 + }}' })).toMatchObject({ status: 'error', error: { column: 8 } });
  });

  it.each(['__proto__', 'constructor', 'toString', 'region'])('reads a variable named %s', async (name) => {
    await scene.run('chain');
    const made = await scene.member.post('/api/v1/workflows/chain/variables/', { name, value: { a: 1 } });
    expect(made.status).toBe(201);
    expect(await evaluate({ text: `{{ vars.${name} }}` })).toMatchObject({ status: 'value', value: { a: 1 } });
    expect(await evaluate({ text: '{{ vars | keys }}' })).toMatchObject({ status: 'value', value: [] });
    expect(await evaluate({ text: `{{ vars | keys }} ${name}` })).toMatchObject({ value: `["${name}"] ${name}` });
  });

  it('uses the requested execution of this workflow, and no other', async () => {
    const first = await scene.run('chain');
    await scene.run('chain');
    const { execution } = await evaluate({ text: '{{ run.id }}', execution_id: first.execution_id });
    expect(execution?.execution_id).toBe(first.execution_id);
    await scene.add('other', 'echo');
    const { execution_id } = await scene.run('other');
    expect((await scene.member.post(path, { text: '', execution_id })).status).toBe(404);
  });

  it('shortens a long value', async () => {
    const long = await evaluate({ text: 'a'.repeat(maxEvaluatedText) });
    expect(long).toMatchObject({ is_truncated: true, type: 'text', value: expect.stringMatching(/^"a+$/) });
    expect(String(long.value)).toHaveLength(maxShownValue);
  });

  it('is only for editors: plain variables are visible in its results', async () => {
    await scene.run('chain');
    const stranger = await scene.running.addPerson('stranger');
    expect((await stranger.post(path, { text: 'a' })).status).toBe(404);
  });
});
