import type { Credential, JsonObject, Workflow } from '@millrace/core';
import { beforeEach, expect, test } from 'vitest';
import type { NewCredential } from '../credentials.ts';
import type { Store } from '../store.ts';
import { listen, newUser, newWorkflow, nodeFields, start } from './world.ts';

const request: NewCredential = {
  name: 'Provider',
  credentialType: 'llm',
  masked: '{"api_key":"****"}',
  most: 1000,
  seal: ({ id }) => `k1.sealed-for-${id}`,
  at: start,
};

async function stored(store: Store, fields: Partial<NewCredential> = {}): Promise<Credential> {
  const credential = await store.credentials.insert({ ...request, ...fields });
  if (typeof credential === 'string') throw new Error(credential);
  return credential;
}

/** Tests of credentials and of the keys that seal them. */
export function credentialSentences(store: () => Store): void {
  beforeEach(() => store().secretKeys.adopt({ id: 'k1', checkValue: 'k1.check' }));
  keepingSentences(store);
  changingSentences(store);
  removingSentences(store);
  useSentences(store);
  keySentences(store);
}

function keepingSentences(store: () => Store): void {
  test('a credential is read with its masks, and with its seal only on request', async () => {
    const credential = await stored(store());
    const { id } = credential;
    expect(credential).toEqual({
      id: expect.any(Number),
      name: 'Provider',
      credentialType: 'llm',
      detail: { api_key: '****' },
      createdAt: start,
      updatedAt: start,
    });
    expect(await store().credentials.byId(id)).toEqual(credential);
    expect(await store().credentials.sealedById(id)).toEqual({
      id,
      name: 'Provider',
      credentialType: 'llm',
      masked: '{"api_key":"****"}',
      sealed: `k1.sealed-for-${id}`,
      revision: 1,
    });
    expect(await store().credentials.byId(id + 1)).toBeNull();
    expect(await store().credentials.sealedById(id + 1)).toBeNull();
  });

  test('the seal is made for exactly the stored values', async () => {
    const subjects: unknown[] = [];
    const { id } = await stored(store(), {
      seal(subject) {
        subjects.push(subject);
        return 'k1.x';
      },
    });
    expect(subjects.at(-1)).toEqual({ id, name: 'Provider', credentialType: 'llm', masked: '{"api_key":"****"}' });
  });

  test('credentials are listed newest first, in pages', async () => {
    const first = await stored(store());
    const second = await stored(store());
    const third = await stored(store());
    expect(await store().credentials.list({ limit: 2, offset: 0 })).toEqual({ items: [third, second], total: 3 });
    expect(await store().credentials.list({ limit: 2, offset: 2 })).toEqual({ items: [first], total: 3 });
  });

  test('an id is never reused', async () => {
    const { id } = await stored(store());
    await store().credentials.remove([id]);
    expect((await stored(store())).id).toBeGreaterThan(id);
  });
}

function changingSentences(store: () => Store): void {
  const change = { name: 'Renamed', masked: '{"api_key":"new"}', sealed: 'k1.other', at: start + 5 };

  test('an update replaces name, masks and seal, and updates updated_at', async () => {
    const { id } = await stored(store());
    const changed = await store().credentials.update({ ...change, id, revision: 1 });
    expect(changed).toMatchObject({ id, name: 'Renamed', detail: { api_key: 'new' }, updatedAt: start + 5 });
    expect(await store().credentials.sealedById(id)).toMatchObject({ sealed: 'k1.other', revision: 2 });
    expect(await store().credentials.update({ ...change, id, revision: 2, at: start })).toMatchObject({
      createdAt: start,
      updatedAt: start + 5.001,
    });
  });

  test('an update based on an old revision is stale, and stores nothing', async () => {
    const { id } = await stored(store());
    const both = [1, 2].map((n) =>
      store().credentials.update({ ...change, id, revision: 1, name: `by ${n}`, sealed: `k1.${n}` }),
    );
    expect(await Promise.all(both)).toEqual([expect.objectContaining({ name: 'by 1' }), 'stale']);
    expect(await store().credentials.sealedById(id)).toMatchObject({ name: 'by 1', sealed: 'k1.1' });
  });

  test('a deleted credential cannot be updated', async () => {
    expect(await store().credentials.update({ ...change, id: 99, revision: 1 })).toBe('missing');
  });
}

function removingSentences(store: () => Store): void {
  test('deleting removes the credentials that exist, and ignores other ids', async () => {
    const first = await stored(store());
    const second = await stored(store());
    const ids = [second.id, 99, second.id];
    expect(await store().credentials.remove(ids)).toEqual([second.id]);
    expect(await store().credentials.list({ limit: 10, offset: 0 })).toEqual({ items: [first], total: 1 });
    expect(await store().credentials.remove([])).toEqual([]);
  });

  test('nodes keep the reference to a removed credential, and nothing is published', async () => {
    const { id } = await stored(store());
    const workflow = await newWorkflow(store());
    const node = { ...nodeFields('n'), config: { credential_id: id, llm_credential_id: id } };
    const changes = [{ kind: 'create_node', node }] as const;
    await store().graphs.save({ workflowId: workflow.id, baseVersion: 1, changes, at: start });
    const before = await store().graphs.load(workflow.id);
    const published = listen(store());
    expect(await store().credentials.remove([id])).toEqual([id]);
    expect(await store().graphs.load(workflow.id)).toEqual(before);
    expect(published).toEqual([]);
  });

  test('they are found by id and by name, and of those that share a name the two oldest', async () => {
    expect(await store().credentials.names()).toEqual([]);
    const shared = [await stored(store()), await stored(store()), await stored(store())].map(({ id }) => id);
    const other = await stored(store(), { name: 'Other' });
    const named = await store().credentials.named([other.id, shared[2] ?? 0, shared[2] ?? 0, 99]);
    expect(named).toEqual([
      { id: shared[2], name: 'Provider', credentialType: 'llm', hasWebhookSecret: false },
      { id: other.id, name: 'Other', credentialType: 'llm', hasWebhookSecret: false },
    ]);
    const found = await store().credentials.withNames(['Other', 'Provider', 'Other', 'None', 'provider']);
    expect(found.map(({ id }) => id)).toEqual([...shared.slice(0, 2), other.id]);
    expect((await store().credentials.names()).map(({ id }) => id)).toEqual([...shared, other.id]);
  });

  test('no more are stored than may exist', async () => {
    const first = await stored(store());
    expect(await store().credentials.insert({ ...request, most: 1 })).toBe('full');
    expect(await store().credentials.remove([first.id])).toEqual([first.id]);
    await stored(store(), { most: 1 });
  });

  test.each([
    ['{"webhook_secret":"****"}', true],
    ['{"webhook_secret":""}', false],
    ['damaged', false],
  ])('for the details %s, whether there is a webhook secret is %s', async (masked, hasWebhookSecret) => {
    const { id } = await stored(store(), { masked });
    expect(await store().credentials.named([id])).toMatchObject([{ hasWebhookSecret }]);
  });
}

function useSentences(store: () => Store): void {
  const page = { limit: 10, offset: 0 };

  /** Gives a workflow one node per name, all with this config. Returns the version. */
  async function addNodes({ id: workflowId }: Workflow, names: readonly string[], config: JsonObject): Promise<number> {
    const baseVersion = (await store().graphs.load(workflowId))?.version ?? 0;
    const changes = names.map((name) => ({ kind: 'create_node', node: { ...nodeFields(name), config } }) as const);
    const saved = await store().graphs.save({ workflowId, baseVersion, changes, at: start });
    return saved === 'stale' ? 0 : saved.version;
  }

  // Requirement interface.credentials.usage.published
  test('uses are found in the newest and in the published versions, each node once', async () => {
    const { id } = await stored(store());
    const { id: other } = await stored(store());
    const first = await newWorkflow(store());
    const { ownerId: viewerId } = first;
    const second = await newWorkflow(store(), { ownerId: viewerId });
    const both = { credential_id: id, llm_credential_id: id };
    const version = await addNodes(first, ['b', 'a'], both);
    const publish = { id: first.id, version, authorId: null, note: null, at: start };
    await addNodes(second, ['c'], { credential_id: other, llm_credential_id: id });
    await addNodes(second, ['d'], { credential_id: null, llm_credential_id: other });
    const uses = (ids: readonly number[], part = page) => store().credentials.uses({ ids, viewerId, ...part });
    const in1 = (nodeId: string) => ({ workflowSlug: first.slug, nodeId });
    const in2 = (nodeId: string) => ({ workflowSlug: second.slug, nodeId });
    const all = { items: [in2('c'), in1('a'), in1('b')], total: 3, hasHidden: false };
    expect(await uses([id])).toEqual(all);
    await store().workflows.publish(publish);
    expect(await uses([id])).toEqual(all);
    expect(await uses([other, 99])).toEqual({ items: [in2('c'), in2('d')], total: 2, hasHidden: false });
    expect(await uses([other, id])).toMatchObject({ total: 4 });
    expect(await uses([id], { limit: 1, offset: 1 })).toEqual({ items: [in1('a')], total: 3, hasHidden: false });
    expect(await uses([])).toEqual({ items: [], total: 0, hasHidden: false });
    const nodes = (await store().graphs.load(first.id))?.nodes ?? [];
    const changes = nodes.map((node) => ({ kind: 'delete_node', id: node.id, nodeId: node.nodeId }) as const);
    await store().graphs.save({ workflowId: first.id, baseVersion: version, changes, at: start });
    expect(await uses([id])).toEqual(all);
    await store().workflows.publish({ ...publish, version: version + 1 });
    expect(await uses([id])).toMatchObject({ items: [in2('c')], total: 1 });
    await store().workflows.publish(publish);
    expect(await uses([id])).toEqual(all);
    await store().workflows.unpublish({ id: first.id, at: start });
    expect(await uses([id])).toMatchObject({ items: [in2('c')], total: 1 });
  });

  test('uses in deleted workflows do not count, until they are restored', async () => {
    const { id } = await stored(store());
    const workflow = await newWorkflow(store());
    const version = await addNodes(workflow, ['a'], { credential_id: id });
    await store().workflows.publish({ id: workflow.id, version, authorId: null, note: null, at: start });
    const uses = () => store().credentials.uses({ ids: [id], viewerId: workflow.ownerId, ...page });
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(await uses()).toEqual({ items: [], total: 0, hasHidden: false });
    await store().trash.restore({ id: workflow.id, slug: workflow.slug, at: start });
    expect(await uses()).toMatchObject({ total: 1 });
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(await store().trash.purge({ id: workflow.id, runs: 9, at: start })).toBe('purged');
    expect(await store().credentials.removeUnused([id])).toEqual({ removed: [id] });
  });

  test('uses in workflows that the viewer may not see are not listed', async () => {
    const { id } = await stored(store());
    const { id: viewerId } = await newUser(store());
    const hidden = await newWorkflow(store());
    const open = await newWorkflow(store(), { isPublic: true });
    for (const workflow of [hidden, open]) await addNodes(workflow, ['n'], { credential_id: id });
    const uses = (viewer: number) => store().credentials.uses({ ids: [id], viewerId: viewer, ...page });
    const visible = [{ workflowSlug: open.slug, nodeId: 'n' }];
    expect(await uses(viewerId)).toEqual({ items: visible, total: 1, hasHidden: true });
    const params = { workflowId: hidden.id, userId: viewerId, role: 'viewer', at: start } as const;
    await store().collaborators.insert(params);
    expect(await uses(viewerId)).toMatchObject({ total: 2, hasHidden: false });
  });

  test('credentials are deleted together only if no node uses any of them', async () => {
    const ids = [(await stored(store())).id, (await stored(store())).id, (await stored(store())).id];
    const [first = 0, second = 0, third = 0] = ids;
    const workflow = await newWorkflow(store());
    await addNodes(workflow, ['a'], { llm_credential_id: first });
    await addNodes(workflow, ['b'], { credential_id: third });
    expect(await store().credentials.removeUnused([third, 99, ...ids])).toEqual({ used: [first, third] });
    expect(await store().credentials.list(page)).toMatchObject({ total: 3 });
    expect(await store().credentials.removeUnused([second, 99, second])).toEqual({ removed: [second] });
    expect(await store().credentials.list(page)).toMatchObject({ total: 2 });
  });
}

function keySentences(store: () => Store): void {
  test('one key is current: the one that was adopted last', async () => {
    await store().secretKeys.adopt({ id: 'k2', checkValue: 'k2.check' });
    expect(await store().secretKeys.list()).toEqual([
      { id: 'k1', checkValue: 'k1.check', isCurrent: false },
      { id: 'k2', checkValue: 'k2.check', isCurrent: true },
    ]);
    await store().secretKeys.adopt({ id: 'k1', checkValue: 'another' });
    expect(await store().secretKeys.list()).toMatchObject([
      { id: 'k1', checkValue: 'k1.check', isCurrent: true },
      { id: 'k2', isCurrent: false },
    ]);
  });

  test('nothing that was sealed with an older key is stored', async () => {
    const { id } = await stored(store());
    await store().secretKeys.adopt({ id: 'k2', checkValue: 'k2.check' });
    expect(await store().credentials.insert(request)).toBe('key_replaced');
    const change = { id, revision: 1, name: 'x', masked: '{}', sealed: 'k1.x', at: start };
    expect(await store().credentials.update(change)).toBe('key_replaced');
    expect(await store().credentials.reseal({ id, revision: 1, sealed: 'k1.x' })).toBe('key_replaced');
    expect(await store().credentials.list({ limit: 9, offset: 0 })).toMatchObject({
      items: [{ name: 'Provider' }],
      total: 1,
    });
  });

  test('resealing changes the seal and nothing else, unless the credential changed meanwhile', async () => {
    const before = await stored(store());
    const { id } = before;
    await stored(store());
    await store().secretKeys.adopt({ id: 'k2', checkValue: 'k2.check' });
    expect(await store().credentials.sealedByOldKeys({ afterId: 0, limit: 1 })).toMatchObject([{ id, revision: 1 }]);
    expect(await store().credentials.reseal({ id, revision: 1, sealed: 'k2.x' })).toBe('stored');
    expect(await store().credentials.reseal({ id, revision: 1, sealed: 'k2.y' })).toBe('stale');
    expect(await store().credentials.byId(id)).toEqual(before);
    expect(await store().credentials.sealedById(id)).toMatchObject({ sealed: 'k2.x', revision: 2 });
    expect(await store().credentials.sealedByOldKeys({ afterId: 0, limit: 9 })).toMatchObject([{ id: id + 1 }]);
    expect(await store().credentials.sealedByOldKeys({ afterId: id + 1, limit: 9 })).toEqual([]);
  });

  test('a key is deleted when nothing is sealed with it, and not before', async () => {
    const { id } = await stored(store());
    await store().secretKeys.adopt({ id: 'k2', checkValue: 'k2.check' });
    expect(await store().secretKeys.retire()).toHaveLength(2);
    await store().credentials.reseal({ id, revision: 1, sealed: 'k2.x' });
    expect(await store().secretKeys.retire()).toEqual([{ id: 'k2', checkValue: 'k2.check', isCurrent: true }]);
  });
}
