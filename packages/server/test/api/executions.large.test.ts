import { executionDetail, webhookAccepted } from '@millrace/contract';
import { isObject, type Json, own } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Person, type Running, startRunning } from '../support/running.ts';

type Detail = z.infer<typeof executionDetail>;

/**
 * What a log may contain of inputs and outputs in total, and the allowance per entry for markers, short values and all
 * other fields.
 */
const [budget, entry] = [4_194_304, 2000];

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

/** Runs a webhook whose payload is the input of `nodeCount` nodes, and returns the URL of the run. */
async function runWith(payload: Json, nodeCount: number): Promise<string> {
  const ids = Array.from({ length: nodeCount }, (_, index) => `node${index}`);
  await running.addWorkflow(member.user, 'large', {
    nodes: {
      start: 'trigger_webhook',
      ...Object.fromEntries(ids.map((id) => [id, ['respond', { body: 'short' }] as const])),
    },
    edges: ids.map((id) => `start -> ${id}`).join('\n'),
  });
  const { execution_id } = webhookAccepted.parse((await member.post('/api/v1/webhooks/large', payload)).body);
  const path = `/api/v1/executions/${execution_id}/`;
  while ((await running.onlyRun()).status !== 'completed') await running.settle();
  return path;
}

async function read(path: string): Promise<{ detail: Detail; length: number }> {
  const { status, body, text } = await member.get(path);
  expect(status).toBe(200);
  return { detail: executionDetail.parse(body), length: text.length };
}

function isMarker(value: Json): boolean {
  return isObject(value) && own(value, 'truncated') === true;
}

describe('GET an execution with large inputs', () => {
  it.each([
    { size: 500_000, texts: 1, nodeCount: 30, whole: 8 },
    { size: 4_500_000, texts: 10, nodeCount: 125, whole: 0 },
  ])('of $size characters and $nodeCount nodes, is answered within a budget', async (scene) => {
    const { size, texts, nodeCount, whole } = scene;
    const payload = { list: Array.from({ length: texts }, () => 'y'.repeat(size / texts)) };
    const { detail, length } = await read(await runWith(payload, nodeCount));
    const { trigger_payload, final_output, logs } = detail;
    expect(trigger_payload).toEqual(payload);
    expect(logs).toHaveLength(nodeCount + 1);
    expect(logs.slice(1).map(({ output }) => output)).toEqual(Array(nodeCount).fill({ output: 'short' }));
    const values = logs.flatMap(({ input, output }) => [input, output]);
    expect(values.filter((value) => JSON.stringify(value).length > size)).toHaveLength(whole);
    expect(values.filter(isMarker)).toHaveLength(nodeCount + 2 - whole);
    expect(length).toBeLessThan(size + JSON.stringify(final_output).length + budget + logs.length * entry);
  });

  const bodies = Array.from({ length: 16 }, (_, index) =>
    Array.from({ length: 40 }, () => String.fromCharCode(97 + index).repeat(5000)),
  );

  /** A run with these outputs, and its URL. */
  async function longRun(owner: Person): Promise<string> {
    const ids = bodies.map((_, index) => `node${index}`);
    await running.addWorkflow(owner.user, 'long', {
      nodes: {
        start: 'trigger_webhook',
        ...Object.fromEntries(bodies.map((body, index) => [`node${index}`, ['respond', { body }] as const])),
      },
      edges: ids.map((id) => `start -> ${id}`).join('\n'),
    });
    const { execution_id } = webhookAccepted.parse((await owner.post('/api/v1/webhooks/long', {})).body);
    while ((await running.onlyRun()).status !== 'completed') await running.settle();
    return `/api/v1/executions/${execution_id}/`;
  }

  it('is read for one user although another one reads many', async () => {
    const path = await longRun(member);
    const other = await running.addPerson('other');
    const { id: workflowId } = (await running.store.workflows.bySlug('long')) ?? { id: 0 };
    const at = running.time.clock.now();
    await running.store.collaborators.insert({ workflowId, userId: other.user.id, role: 'viewer', at });
    const order: string[] = [];
    const many = Array.from({ length: 10 }, () => member.get(path).then(() => order.push('member')));
    await Promise.all([...many, other.get(path).then(({ status }) => order.push(`other ${status}`))]);
    expect(order.indexOf('other 200')).toBeLessThan(3);
  });

  it('lets other requests be answered while it is read, and is whole', async () => {
    const path = await longRun(member);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const reads = [read(path), read(path)];
    await Promise.all([
      ...reads.map((reading) => reading.then(note('large'))),
      ...['a', 'b', 'c'].map((name) => member.get('/api/v1/workflows/').then(note(name))),
    ]);
    expect(order.slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
    const [one, other] = (await Promise.all(reads)).map(({ detail }) => detail);
    expect(one).toEqual(other);
    expect(one?.logs.filter(({ output }) => isMarker(output))).toHaveLength(0);
    expect(one?.logs.slice(1).map(({ output }) => output)).toEqual(bodies.map((output) => ({ output })));
  });

  it('returns one log entry in full on request', async () => {
    const payload = { list: Array.from({ length: 10 }, () => 'y'.repeat(450_000)) };
    const path = await runWith(payload, 3);
    const { detail } = await read(path);
    const [first, , last] = detail.logs;
    if (first === undefined || last === undefined) throw new Error('there are no logs');
    const given = { payload, text: '', query: {} };
    const whole = (await read(`${path}?log=${first.id}`)).detail;
    expect(whole.logs).toMatchObject([{ ...first, input: given, output: { output: given } }]);
    expect({ ...whole, logs: detail.logs }).toEqual(detail);
    const json = JSON.stringify(whole.logs[0]?.output);
    expect(first.output).toEqual({ truncated: true, size: json.length, preview: json.slice(0, 200) });
    expect((await read(`${path}?log=${last.id}`)).detail.logs).toMatchObject([{ ...last, input: given }]);
  });

  it('returns 404 for a missing log entry', async () => {
    const path = await runWith({}, 1);
    expect(await member.get(`${path}?log=999`)).toMatchObject({
      status: 404,
      body: { detail: 'Log entry not found.' },
    });
    expect(await member.get(`${path}?log=x`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'log'] }] },
    });
    const visitor = await running.addPerson('visitor');
    expect(await visitor.get(`${path}?log=x`)).toMatchObject({ status: 404, body: { detail: 'Execution not found.' } });
  });
});
