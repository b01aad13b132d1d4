import type { User, Workflow } from '@millrace/core';
import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, newExecution, newUser, newWorkflow, start } from './world.ts';

/** Tests of sharing workflows. */
export function collaboratorSentences(store: () => Store): void {
  sharingSentences(store);
  newsSentences(store);
}

function sharingSentences(store: () => Store): void {
  let workflow: Workflow;
  let visitor: User;
  beforeEach(async () => {
    workflow = await newWorkflow(store());
    visitor = await newUser(store());
  });
  const share = (shared: Workflow, user: User, role: 'editor' | 'viewer' = 'viewer') =>
    store().collaborators.insert({ workflowId: shared.id, userId: user.id, role, at: start });
  const list = (filter: object = {}) =>
    store().executions.list({ visibleTo: visitor.id, limit: 50, offset: 0, ...filter });

  test('a collaborator has a role, which can be changed and removed', async () => {
    const member = { workflowId: workflow.id, userId: visitor.id };
    expect(await store().collaborators.roleOf(member)).toBeNull();
    const added = await share(workflow, visitor);
    expect(added).toEqual({ userId: visitor.id, username: visitor.username, role: 'viewer', createdAt: start });
    expect(await share(workflow, visitor, 'editor')).toBeNull();
    expect(await store().collaborators.roleOf(member)).toBe('viewer');
    expect(await store().collaborators.update({ ...member, role: 'editor' })).toEqual({ ...added, role: 'editor' });
    expect(await store().collaborators.listOf(workflow.id)).toEqual([{ ...added, role: 'editor' }]);
    expect(await store().collaborators.remove(member)).toBe(true);
    expect(await store().collaborators.remove(member)).toBe(false);
    expect(await store().collaborators.update({ ...member, role: 'editor' })).toBeNull();
    expect(await store().collaborators.listOf(workflow.id)).toEqual([]);
  });

  test('shared workflows are listed with owned ones, newest first, until they are deleted', async () => {
    const own = await newWorkflow(store(), { ownerId: visitor.id, at: start + 1 });
    const newer = await newWorkflow(store(), { at: start + 2 });
    for (const shared of [workflow, newer]) await share(shared, visitor);
    const pageOf = (limit: number, offset: number) => store().workflows.list({ visibleTo: visitor.id, limit, offset });
    expect(await pageOf(50, 0)).toEqual({ items: [newer, own, workflow], total: 3 });
    expect(await pageOf(1, 1)).toEqual({ items: [own], total: 3 });
    await store().workflows.remove({ ids: [newer.id], at: start });
    expect(await pageOf(50, 0)).toEqual({ items: [own, workflow], total: 2 });
  });

  test('runs of shared workflows are listed with those of owned ones', async () => {
    const own = await newWorkflow(store(), { ownerId: visitor.id });
    const second = await newWorkflow(store());
    const ids: string[] = [];
    for (const [index, of] of [own, workflow, second, workflow, own, await newWorkflow(store())].entries()) {
      ids.push((await store().executions.accept(newExecution(of, { at: start + index }))).id);
    }
    for (const shared of [workflow, second]) await share(shared, visitor);
    const found = async (filter: object = {}) => {
      const page = await list(filter);
      return [page.items.map(({ id }) => ids.indexOf(id)), page.total];
    };
    expect(await found()).toEqual([[4, 3, 2, 1, 0], 5]);
    expect(await found({ limit: 2, offset: 1 })).toEqual([[3, 2], 5]);
    expect(await found({ workflowId: workflow.id })).toEqual([[3, 1], 2]);
    expect(await found({ since: start + 2 })).toEqual([[4, 3, 2], 3]);
    expect(await found({ q: 'söhne', limit: 2, offset: 3 })).toEqual([[1, 0], 5]);
    await store().workflows.remove({ ids: [second.id], at: start });
    expect(await found()).toEqual([[4, 3, 1, 0], 4]);
  });

  test('an editor may delete runs, a viewer may not', async () => {
    const { id } = await store().executions.accept(newExecution(workflow));
    const [run] = await claim(store());
    if (run !== undefined) await store().executions.append(appendOf(run, [completed()]));
    await share(workflow, visitor);
    expect(await store().executions.remove({ ids: [id], removableBy: visitor.id })).toEqual([]);
    await store().collaborators.update({ workflowId: workflow.id, userId: visitor.id, role: 'editor' });
    expect(await store().executions.remove({ ids: [id], removableBy: visitor.id })).toEqual([id]);
  });
}

/** Tests of the published access changes. */
function newsSentences(store: () => Store): void {
  test('subscribers are notified of every change of access', async () => {
    const workflow = await newWorkflow(store());
    const visitor = await newUser(store());
    const received: unknown[] = [];
    store().subscribe({ accessChanged: (changes) => void received.push(...changes) });
    const member = { workflowId: workflow.id, userId: visitor.id };
    await store().collaborators.insert({ ...member, role: 'viewer', at: start });
    await store().collaborators.update({ ...member, role: 'editor' });
    await store().collaborators.remove(member);
    expect(received.splice(0)).toEqual(Array.from({ length: 3 }, () => ({ kind: 'member', ...member })));
    const key = {
      userId: visitor.id,
      name: '',
      hash: 'a',
      prefix: '',
      scope: 'full',
      expiresAt: null,
      at: start,
    } as const;
    const { id: keyId } = await store().keys.insert(key);
    await store().keys.revoke({ userId: visitor.id, id: keyId, at: start });
    await store().workflows.update({ id: workflow.id, changes: { isPublic: true }, at: start });
    await store().workflows.update({ id: workflow.id, changes: { name: 'No matter' }, at: start });
    await store().workflows.remove({ ids: [workflow.id], at: start });
    const change = { kind: 'workflow', workflowId: workflow.id };
    expect(received).toEqual([{ kind: 'key', keyId }, change, change]);
  });
}
