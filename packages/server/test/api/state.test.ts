import { executionDetail } from '@millrace/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemTimers } from '../../src/ground/clock.ts';
import type { Api } from '../support/api.ts';
import { WholeApp } from '../support/whole-app.ts';

let app: WholeApp;
let api: Api;
beforeAll(async () => {
  app = await WholeApp.start(systemTimers);
  api = await app.member('owner');
});
afterAll(() => app.close());

let slugs = 0;

/** A workflow with a trigger and one state node; returns its slug. */
async function addStep(config: object, by: Api = api): Promise<string> {
  slugs += 1;
  const slug = `state-${slugs}`;
  await by.post('/api/v1/workflows/', { name: slug, slug });
  await setStep(slug, 'start', 'trigger_manual', {}, by);
  await setStep(slug, 'keep', 'state', { retry: { max_attempts: 1 }, ...config }, by);
  await by.post(`/api/v1/workflows/${slug}/edges/`, { source_node_id: 'start', target_node_id: 'keep' });
  return slug;
}

async function setStep(slug: string, nodeId: string, type: string, extra: object, by: Api): Promise<void> {
  const node = { node_id: nodeId, component_type: type, config: { extra_config: extra } };
  const { status, text } = await by.post(`/api/v1/workflows/${slug}/nodes/`, node);
  expect([status, text]).toEqual([201, text]);
}

/** The output of the state node of one run, or its error. */
async function run(slug: string, payload: unknown = null, by: Api = api) {
  const { body } = await by.post(`/api/v1/workflows/${slug}/execute/`, { payload, wait: true });
  const { execution_id: id } = body as { execution_id: string };
  const detail = executionDetail.parse((await by.get(`/api/v1/executions/${id}/`)).body);
  const step = detail.logs.find(({ node_id }) => node_id === 'keep');
  return step?.status === 'failed' ? { code: step.error_code, error: step.error } : step?.output;
}

const path = (slug: string, key: string, query = '') => `/api/v1/workflows/${slug}/state/${key}/${query}`;
const put = (url: string, value: unknown) => api.put(url, { value });

describe('a state step', () => {
  test('sets, reads and deletes a value, which the next run sees', async () => {
    const slug = await addStep({ operation: '{{ trigger.payload.do }}', key: 'a', value: '{{ trigger.payload.v }}' });
    expect(await run(slug, { do: 'get', v: 1 })).toEqual({ value: null, is_new: false });
    expect(await run(slug, { do: 'set', v: { x: 1 } })).toEqual({ value: { x: 1 }, is_new: true });
    expect(await run(slug, { do: 'set', v: [2] })).toEqual({ value: [2], is_new: false });
    expect(await run(slug, { do: 'get', v: 1 })).toEqual({ value: [2], is_new: false });
    expect(await run(slug, { do: 'append', v: 3 })).toEqual({ value: [2, 3], is_new: false });
    expect(await run(slug, { do: 'delete', v: 1 })).toEqual({ value: [2, 3], is_new: false });
    expect(await run(slug, { do: 'get', v: 1 })).toEqual({ value: null, is_new: false });
    expect(await run(slug, { do: 'increment', v: 2.5 })).toEqual({ value: 2.5, is_new: true });
    expect(await run(slug, { do: 'increment', v: '-1' })).toEqual({ value: 1.5, is_new: false });
  });

  test('stores its input if the config has no value, and counts by 1', async () => {
    const stored = await addStep({ operation: 'set', key: 'a' });
    expect(await run(stored, 'input')).toMatchObject({ value: 'input' });
    const counted = await addStep({ operation: 'increment', key: 'a' });
    expect([await run(counted), await run(counted)]).toMatchObject([{ value: 1 }, { value: 2 }]);
  });

  test('fails and changes nothing if the operation does not match the value', async () => {
    const slug = await addStep({ operation: '{{ trigger.payload }}', key: 'a', value: 1 });
    await put(path(slug, 'a'), 'text');
    expect(await run(slug, 'increment')).toMatchObject({
      code: 'state',
      error: expect.stringContaining('not a number'),
    });
    expect(await run(slug, 'append')).toMatchObject({ code: 'state', error: expect.stringContaining('not a list') });
    expect(await run(slug, 'other')).toMatchObject({ code: 'config' });
    const large = await addStep({ operation: 'set', key: 'a' });
    expect(await run(large, 'x'.repeat(65_536))).toMatchObject({ code: 'state' });
    expect((await api.get(path(large, 'a'))).body).toEqual({ value: null });
    expect((await api.get(path(slug, 'a'))).body).toEqual({ value: 'text' });
  });

  test('reports once that a key is new, until its time has passed', async () => {
    const seen = { operation: 'first_seen', key: '{{ trigger.payload }}' };
    const slug = await addStep(seen);
    expect(await run(slug, 'a')).toEqual({ value: true, is_new: true });
    expect(await run(slug, 'a')).toEqual({ value: true, is_new: false });
    expect(await run(slug, 'b')).toMatchObject({ is_new: true });
    const brief = await addStep({ ...seen, ttl_seconds: 0.001 });
    expect(await run(brief, 'a')).toMatchObject({ is_new: true });
    await new Promise((resolve) => systemTimers.after(5, () => resolve(null)));
    expect(await run(brief, 'a')).toMatchObject({ is_new: true });
  });

  test('keeps values of each workflow apart, and shares a scope between the workflows of one owner', async () => {
    const count = { operation: 'increment', key: 'n' };
    for (const slug of [await addStep(count), await addStep(count)])
      expect(await run(slug)).toMatchObject({ value: 1 });
    const shared = { ...count, scope: 'all' };
    const [first, second] = [await addStep(shared), await addStep(shared)];
    expect([await run(first), await run(second)]).toMatchObject([{ value: 1 }, { value: 2 }]);
    const other = await app.member('stranger');
    expect(await run(await addStep(shared, other), null, other)).toMatchObject({ value: 1 });
    expect((await api.get(path(first, 'n', '?scope=all'))).body).toEqual({ value: 2 });
    expect((await api.get(path(first, 'n'))).body).toEqual({ value: null });
  });

  test.each([
    [{ operation: 'set', key: 'a', ttl_seconds: 1 }, 'ttl_seconds'],
    [{ operation: 'first_seen', key: 'a', ttl_seconds: -1 }, 'ttl_seconds'],
    [{ operation: 'first_seen', key: 'a', ttl_seconds: 315_360_001 }, 'ttl_seconds'],
    [{ operation: 'push', key: 'a' }, 'operation'],
    [{ operation: 'get' }, 'key'],
  ])('%j is rejected or reported by validation', async (config, field) => {
    slugs += 1;
    const slug = `state-${slugs}`;
    await api.post('/api/v1/workflows/', { name: slug, slug });
    const node = { node_id: 'keep', component_type: 'state', config: { extra_config: config } };
    const created = await api.post(`/api/v1/workflows/${slug}/nodes/`, node);
    const checked = await api.post(`/api/v1/workflows/${slug}/validate/`);
    expect(`${created.status === 422 ? created.text : checked.text}`).toContain(field);
    expect(created.status === 422 || (checked.body as { valid: boolean }).valid === false).toBe(true);
  });
});

describe('concurrent runs', () => {
  test('never lose an increment', async () => {
    const slug = await addStep({ operation: 'increment', key: 'n' });
    const outputs = await Promise.all(Array.from({ length: 60 }, () => run(slug)));
    const values = outputs.map((output) => (output as { value: number }).value).sort((a, b) => a - b);
    expect(values).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    expect((await api.get(path(slug, 'n'))).body).toEqual({ value: 60 });
  });

  test('see a key as new only once', async () => {
    const slug = await addStep({ operation: 'first_seen', key: 'order-1', ttl_seconds: 60 });
    const outputs = await Promise.all(Array.from({ length: 40 }, () => run(slug)));
    expect(outputs.filter((output) => (output as { is_new: boolean }).is_new)).toHaveLength(1);
  });
});

test('parallel branches and loops of one run count every step', async () => {
  const slug = await addStep({ operation: 'increment', key: 'n' });
  const branches = ['a', 'b', 'c', 'd'];
  for (const id of branches) {
    await setStep(slug, id, 'state', { operation: 'increment', key: 'n' }, api);
    await setStep(slug, `after_${id}`, 'transform', { expression: `${id}.value` }, api);
    await api.post(`/api/v1/workflows/${slug}/edges/`, { source_node_id: 'start', target_node_id: id });
    await api.post(`/api/v1/workflows/${slug}/edges/`, { source_node_id: id, target_node_id: `after_${id}` });
  }
  await run(slug);
  expect((await api.get(path(slug, 'n'))).body).toEqual({ value: 5 });
});

describe('the endpoints of state', () => {
  test('store, read and delete a value; a missing one is null', async () => {
    const slug = await addStep({ operation: 'get', key: 'a' });
    expect((await api.get(path(slug, 'a'))).body).toEqual({ value: null });
    const stored = await put(path(slug, 'a'), { x: [1] });
    expect([stored.status, stored.body]).toEqual([200, { value: { x: [1] } }]);
    expect(await run(slug)).toEqual({ value: { x: [1] }, is_new: false });
    expect((await api.delete(path(slug, 'a'))).status).toBe(204);
    expect((await api.get(path(slug, 'a'))).body).toEqual({ value: null });
    expect((await put(path(slug, 'a%2Fb%20c'), 1)).status).toBe(200);
    expect((await api.get(path(slug, 'a%2Fb%20c'))).body).toEqual({ value: 1 });
  });

  test('accept values, keys and scopes up to their limits, and reject longer ones', async () => {
    const slug = await addStep({ operation: 'first_seen', key: 'k'.repeat(255), ttl_seconds: 315_360_000 });
    expect(await run(slug)).toMatchObject({ is_new: true });
    const longest = path(slug, 'k'.repeat(255), `?scope=${'s'.repeat(255)}`);
    expect((await put(longest, 'x'.repeat(65_534))).status).toBe(200);
    expect((await api.get(longest)).body).toEqual({ value: 'x'.repeat(65_534) });
    for (const longer of [path(slug, 'k'.repeat(256)), path(slug, 'k', `?scope=${'s'.repeat(256)}`)]) {
      expect((await put(longer, 1)).status).toBe(422);
    }
    expect((await put(path(slug, 'k'), 'x'.repeat(65_535))).status).toBe(422);
  });

  test('reject a body without a value', async () => {
    const slug = await addStep({ operation: 'get', key: 'a' });
    expect((await put(path(slug, 'a'), undefined)).status).toBe(422);
  });
});
