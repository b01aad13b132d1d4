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

type Nodes = Readonly<Record<string, readonly [type: string, extra: object]>>;

/** A workflow whose nodes follow each other; returns its slug. */
async function addWorkflow(nodes: Nodes, by: Api = api): Promise<string> {
  slugs += 1;
  const slug = `memory-${slugs}`;
  await by.post('/api/v1/workflows/', { name: slug, slug });
  let last: string | null = null;
  for (const [node_id, [component_type, extra]] of Object.entries({
    start: ['trigger_manual', {}],
    ...nodes,
  } as Nodes)) {
    const node = { node_id, component_type, config: { extra_config: extra } };
    const { status, text } = await by.post(`/api/v1/workflows/${slug}/nodes/`, node);
    expect([status, text]).toEqual([201, text]);
    const edge = { source_node_id: last, target_node_id: node_id };
    if (last !== null) expect(await by.post(`/api/v1/workflows/${slug}/edges/`, edge)).toMatchObject({ status: 201 });
    last = node_id;
  }
  return slug;
}

async function logOf(slug: string, payload: unknown, by: Api) {
  const { body } = await by.post(`/api/v1/workflows/${slug}/execute/`, { payload, wait: true });
  const { execution_id: id } = body as { execution_id: string };
  return executionDetail.parse((await by.get(`/api/v1/executions/${id}/`)).body).logs;
}

/** The result of each memory node of one run, or its error. */
async function run(slug: string, payload: unknown = null, by: Api = api): Promise<Record<string, unknown>> {
  const logs = await logOf(slug, payload, by);
  const ends = logs.map(({ node_id, output, status, error_code, error }) => {
    const result = (output as { result?: unknown } | null)?.result;
    return [node_id, status === 'failed' ? { code: error_code, error } : result] as const;
  });
  return Object.fromEntries(ends.filter(([node]) => node !== 'start'));
}

const write = (extra: object = {}) => ['memory_write', { retry: { max_attempts: 1 }, ...extra }] as const;
const read = (extra: object = {}) => ['memory_read', extra] as const;

describe('facts', () => {
  test('are stored, read by their key in the next run, and deleted', async () => {
    const slug = await addWorkflow({ store: write({ key: 'home', value: '{{ trigger.payload }}' }) });
    expect(await run(slug, { city: 'Bern' })).toEqual({ store: 'home' });
    const seen = await addWorkflow({ look: read({ key: 'home' }) });
    expect(await run(seen)).toEqual({ look: null });
    const both = await addWorkflow({
      before: read({ key: 'home' }),
      store: write({ key: 'home', value: [1] }),
      after: read({ key: 'home' }),
      remove: write({ mode: 'delete', key: 'home' }),
      gone: read({ key: 'home' }),
    });
    expect(await run(both)).toEqual({ before: null, store: 'home', after: [1], remove: 'home', gone: null });
  });

  test('are found by their words, and listed without any, the last changed first', async () => {
    const slug = await addWorkflow({
      a: write({ key: 'pet', value: 'a cat named Zoë' }),
      b: write({ key: 'car', value: 'a red one' }),
      found: read({ query: 'ZOE' }),
      none: read({ query: 'dog' }),
      all: read({ query: '' }),
      one: read({ query: '', limit: '{{ 1 }}' }),
    });
    const fact = (key: string, value: unknown) => ({ key, value, updated_at: expect.stringMatching(/Z$/) });
    const { found, none, all, one } = await run(slug);
    expect([found, none]).toEqual([[fact('pet', 'a cat named Zoë')], []]);
    expect(all).toEqual([fact('car', 'a red one'), fact('pet', 'a cat named Zoë')]);
    expect(one).toEqual([fact('car', 'a red one')]);
  });

  test('take their value and the query from the input, and a key of their own in each run without one', async () => {
    const slug = await addWorkflow({ store: write() });
    const keys = [await run(slug, { word: 'blue' }), await run(slug, { word: 'blue' })].map(({ store }) => store);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    const search = await addWorkflow({ look: read({ scope: 'global' }) });
    expect(await run(search, 'word')).toEqual({ look: [] });
    expect(await run(search, { not: 'text' })).toMatchObject({ look: { code: 'input' } });
  });

  test('are those of the workflow, of a person, or of all workflows of one owner', async () => {
    const user = { scope: 'user', user_id: '{{ trigger.payload }}' };
    const writer = await addWorkflow({
      a: write({ key: 'k', value: 'own' }),
      b: write({ key: 'k', value: 'global', scope: 'global' }),
      c: write({ key: 'k', value: 'about {{ trigger.payload }}', ...user }),
    });
    await run(writer, 'ann');
    await run(writer, 'bob');
    const nodes = { a: read({ key: 'k' }), b: read({ key: 'k', scope: 'global' }), c: read({ key: 'k', ...user }) };
    const reader = await addWorkflow(nodes);
    expect(await run(reader, 'ann')).toEqual({ a: null, b: 'global', c: 'about ann' });
    expect(await run(reader, 'bob')).toMatchObject({ c: 'about bob' });
    expect(await run(reader, 'cat')).toMatchObject({ c: null });
    const stranger = await app.member('stranger');
    expect(await run(await addWorkflow(nodes, stranger), 'ann', stranger)).toEqual({ a: null, b: null, c: null });
  });

  test('fail the step if they are too large, or their key or person is not usable', async () => {
    const large = await addWorkflow({ store: write({ key: 'k' }) });
    expect(await run(large, 'x'.repeat(65_535))).toMatchObject({ store: { code: 'memory' } });
    expect(await run(large, 'x'.repeat(65_534))).toEqual({ store: 'k' });
    const key = await addWorkflow({ store: write({ key: '{{ trigger.payload }}', value: 1 }) });
    expect(await run(key, '')).toMatchObject({ store: { code: 'config' } });
    expect(await run(key, 'k'.repeat(256))).toMatchObject({ store: { code: 'config' } });
    const person = await addWorkflow({ store: write({ scope: 'user', user_id: '{{ trigger.payload }}', value: 1 }) });
    expect(await run(person, null)).toMatchObject({ store: { code: 'config' } });
    expect(await run(await addWorkflow({ store: write({ mode: 'delete' }) }), 'x')).toMatchObject({
      store: { code: 'config' },
    });
  });
});

describe('identify_user', () => {
  const identify = (extra: object = {}) => ['identify_user', { retry: { max_attempts: 1 }, ...extra }] as const;
  const memory = { scope: 'user', user_id: '{{ person.user_id }}' };

  /** The outputs of the node `person`, or its error. */
  async function seen(slug: string, payload: unknown, by: Api = api) {
    const step = (await logOf(slug, payload, by)).find(({ node_id }) => node_id === 'person');
    return step?.status === 'failed' ? { code: step.error_code } : (step?.output as { user_id: string });
  }

  test('knows a person again in other workflows, so that the facts about them are found', async () => {
    const writer = await addWorkflow({ person: identify({ channel: 'a' }), store: write({ key: 'k', ...memory }) });
    const ann = { external_id: 7, name: ' Ann ', email: 'Ann@Example.com' };
    const user = { name: 'Ann', email: 'ann@example.com', created_at: expect.stringMatching(/Z$/) };
    const first = (await seen(writer, ann)) as { user_id: string };
    expect(first).toEqual({ user_id: first.user_id, user: { id: first.user_id, ...user }, is_new: true });
    const reader = await addWorkflow({ person: identify(), look: read({ key: 'k', ...memory }) });
    expect(await seen(reader, { channel: 'a', external_id: '7' })).toEqual({ ...first, is_new: false });
    expect(await run(reader, { channel: 'a', external_id: '7' })).toMatchObject({ look: first.user_id });
    expect(await run(reader, { channel: 'b', external_id: '7' })).toMatchObject({ look: null });
  });

  test('links by the address only if the config says so', async () => {
    const nodes = (link: boolean) => ({
      person: identify({ channel: '{{ trigger.payload.c }}', link_by_email: link }),
    });
    const [plain, linking] = [await addWorkflow(nodes(false)), await addWorkflow(nodes(true))];
    const email = 'bob@example.com';
    const first = (await seen(plain, { c: 'x', external_id: 1, email })) as { user_id: string };
    expect(await seen(plain, { c: 'y', external_id: 1, email })).toMatchObject({ is_new: true });
    expect(await seen(linking, { c: 'z', external_id: 1, email: 'BOB@example.com' })).toMatchObject({
      user_id: first.user_id,
      is_new: false,
    });
  });

  test('fails without a channel or an id, and with values that are too long', async () => {
    const slug = await addWorkflow({ person: identify({ channel: 'a' }) });
    expect(await seen(slug, {})).toEqual({ code: 'config' });
    expect(await seen(slug, { external_id: ' ' })).toEqual({ code: 'config' });
    expect(await seen(slug, { external_id: 'x'.repeat(256) })).toEqual({ code: 'config' });
    expect(await seen(slug, 'text')).toEqual({ code: 'input' });
    expect(await seen(slug, { external_id: 1, name: 'x'.repeat(256) })).toEqual({ code: 'config' });
  });
});

test.each([
  ['memory_read', { scope: 'user' }, 'user_id'],
  ['memory_write', { scope: 'user' }, 'user_id'],
  ['memory_read', { user_id: 'ann' }, 'user_id'],
  ['memory_read', { scope: 'user', user_id: 'u-{{ args.id }}', tool: { parameters: {} } }, 'args'],
  ['memory_write', { scope: 'user', user_id: '{{ args.id }}', tool: { parameters: {} } }, 'args'],
  ['memory_write', { mode: 'delete', key: 'k', value: 1 }, 'value'],
])('validation reports a %s with %j', async (type, extra, word) => {
  const slug = await addWorkflow({ step: [type, extra] });
  const { body } = await api.post(`/api/v1/workflows/${slug}/validate/`);
  const { valid, errors } = body as { valid: boolean; errors: string[] };
  expect([valid, errors.join()]).toEqual([false, expect.stringContaining(word)]);
});
