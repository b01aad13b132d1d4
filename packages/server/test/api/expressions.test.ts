import { catalogue } from '@millrace/components';
import type { Json, JsonObject } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { type Running, startRunning } from '../support/running.ts';

type Sketch = Parameters<Running['addWorkflow']>[2];

const slug = 'flow';

/** Runs a workflow of real components, and returns its execution as the API shows it. */
async function run(sketch: Sketch, payload: Json = { n: 3 }): Promise<JsonObject> {
  const running = await startRunning({ catalogue });
  const member = await running.addPerson('member');
  await running.addWorkflow(member.user, slug, sketch);
  const { body } = await member.post(`/api/v1/workflows/${slug}/execute/`, { payload, text: 'hello' });
  await running.settle();
  return (await member.get(`/api/v1/executions/${(body as JsonObject).execution_id}/`)).body as JsonObject;
}

/** `start -> first -> last`, where the last node is a transform with these fields. */
const fields = (of: JsonObject): Sketch => ({
  nodes: {
    start: 'trigger_manual',
    first: ['transform', { expression: 'input.n' }],
    last: ['transform', { fields: of }],
  },
  edges: 'start -> first\nfirst -> last',
});

describe('expressions of a run see', () => {
  it("the trigger's data, by three names", async () => {
    const { final_output } = await run(
      fields({ payload: '{{ trigger.payload }}', text: '{{ trigger.text }}', input: '{{ input.n }}' }),
    );
    expect(final_output).toEqual({ payload: { n: 3 }, text: 'hello', input: 3 });
  });

  it('the outputs of earlier nodes, by nodes and by the shorthand', async () => {
    const { final_output } = await run(fields({ long: '{{ nodes.first.output }}', short: '{{ first.output }}' }));
    expect(final_output).toEqual({ long: 3, short: 3 });
  });

  it('the run itself', async () => {
    const { final_output, execution_id, started_at } = await run(
      fields({ id: '{{ run.id }}', at: '{{ run.started_at }}', workflow: '{{ run.workflow }}' }),
    );
    expect(final_output).toEqual({ id: execution_id, at: started_at, workflow: slug });
  });

  it('no variables if there are none, without an error for the name alone', async () => {
    const { final_output } = await run(fields({ all: '{{ vars }}', one: "{{ vars.one | default('none') }}" }));
    expect(final_output).toEqual({ all: {}, one: 'none' });
  });

  it('the item, the index and the count of a loop', async () => {
    const { final_output } = await run({
      nodes: {
        start: 'trigger_manual',
        each: ['loop', { items: ['a', 'b'] }],
        body: ['template', { template: '{{ loop.item }} {{ loop.index }}/{{ loop.total }}' }],
      },
      edges: 'start -> each\neach -loop_body-> body\nbody -loop_return-> each',
    });
    expect(final_output).toEqual(['a 0/2', 'b 1/2']);
  });
});

describe('a string of a config', () => {
  it('that is one expression keeps the type of its value, and mixed text renders it', async () => {
    const { final_output } = await run(
      fields({ one: '{{ trigger.payload }}', mixed: 'n: {{ input.n }}, {{ trigger.payload }}' }),
    );
    expect(final_output).toEqual({ one: { n: 3 }, mixed: 'n: 3, {"n":3}' });
  });

  it('is evaluated just before its step, with the results so far', async () => {
    const { final_output } = await run({
      nodes: {
        start: 'trigger_manual',
        slow: ['wait', { duration: 0 }],
        last: ['transform', { fields: { seen: '{{ slow.output.n }}' } }],
      },
      edges: 'start -> slow\nslow -> last',
    });
    expect(final_output).toEqual({ seen: 3 });
  });

  it('is evaluated once: braces in a value are text, through any number of nodes', async () => {
    const hostile = { n: '{{ run.id }} {{ 1 / 0 }}' };
    const { status, final_output } = await run(
      fields({ typed: '{{ first.output }}', mixed: '<{{ first.output }}>', again: '{{ input.n | upper }}' }),
      hostile,
    );
    expect(status).toBe('completed');
    expect(final_output).toEqual({ typed: hostile.n, mixed: `<${hostile.n}>`, again: hostile.n.toUpperCase() });
  });
});

describe('fails its step if a value is missing at run time, with the path', () => {
  it.each([
    ['a key of the payload', '{{ trigger.payload.m }}', "fields.bad: 'trigger.payload.m' does not exist"],
    ['a node that was skipped', '{{ skipped.output }}', "node 'skipped' was skipped in this run"],
  ])('a reference to %s', async (_what, text, message) => {
    const { nodes, edges } = fields({ bad: text });
    const { status, error_message, logs, final_output } = await run({
      nodes: { ...nodes, skipped: 'transform' },
      edges: `${edges}\nfirst -error-> skipped\nskipped -> last`,
    });
    expect({ status, final_output }).toEqual({ status: 'failed', final_output: null });
    expect(error_message).toContain(`Node 'last' failed: `);
    expect(error_message).toContain(message);
    expect(error_message).toMatch(/\(line \d, column \d+\)/);
    expect(logs).toContainEqual(expect.objectContaining({ node_id: 'last', error_code: 'expression' }));
  });
});

describe('an expression with a name that can never exist prevents its workflow from starting', () => {
  it.each([
    ['a missing node', '{{ nobody.output }}', 'unknown_name', "Unknown name 'nobody' (line 1, column 4)"],
    [
      'a missing port',
      'x\n {{ first.nothing }}',
      'unknown_name',
      "Node 'first' has no port 'nothing' (line 2, column 11)",
    ],
    ['a later node', '{{ after.output }}', 'not_run_yet', "Node 'after' cannot have run before it"],
  ])('a name of %s', async (_what, text, code, message) => {
    const { nodes, edges } = fields({ bad: text });
    const running = await startRunning({ catalogue });
    const member = await running.addPerson('member');
    await running.addWorkflow(member.user, slug, {
      nodes: { ...nodes, after: 'transform' },
      edges: `${edges}\nlast -> after`,
    });
    const answer = await member.post(`/api/v1/workflows/${slug}/execute/`, {});
    const issue = { code, field: 'extra_config.fields.bad', message: expect.stringContaining(message) };
    expect(answer).toMatchObject({ status: 422, body: { issues: [issue] } });
  });
});
