import type { Instant, Workflow } from '@millrace/core';
import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, failed, newExecution, newWorkflow, nodeFields, start } from './world.ts';

/** Tests of what workflows did lately. */
export function activitySentences(store: () => Store): void {
  const hour = 3_600_000;
  /** The beginning of the hour that contains `start`. */
  const first = Math.floor(start / hour) * hour;

  async function end(workflow: Workflow, fact: ReturnType<typeof completed>, at: Instant): Promise<string> {
    const { id } = await store().executions.accept(newExecution(workflow, { at }));
    const run = (await claim(store())).find((claimed) => claimed.id === id);
    if (run === undefined) throw new Error('the run was not claimed');
    expect(await store().executions.append(appendOf(run, [{ ...fact, at } as typeof fact]))).toBe('stored');
    return id;
  }

  const activityOf = async ({ id }: Workflow, since: Instant = start) =>
    (await store().workflows.activity({ workflowIds: [id], since }))[0];

  test('is empty for a new workflow', async () => {
    const workflow = await newWorkflow(store());
    expect(await activityOf(workflow)).toEqual({
      workflowId: workflow.id,
      lastExecution: null,
      lastFailedExecutionId: null,
      hours: [],
      triggerTypes: [],
      nextFireAt: null,
    });
  });

  test('counts the ends of each hour from the first one asked for, and names the last executions', async () => {
    const workflow = await newWorkflow(store());
    const other = await newWorkflow(store());
    await end(workflow, completed(), start);
    await end(workflow, completed(), start + 1);
    const lastFailedExecutionId = await end(workflow, failed('no'), start + 2);
    await end(workflow, completed(), start + 3 * hour);
    await end(other, completed(), start);
    const cancelled = await store().executions.accept(newExecution(workflow, { at: start + 3 * hour + 1 }));
    await store().executions.cancel({ id: cancelled.id, at: start + 3 * hour + 2 });
    const pending = await store().executions.accept(newExecution(workflow, { at: start + 4 * hour }));
    const later = { startsAt: first + 3 * hour, completed: 1, failed: 0, cancelled: 1 };
    expect(await activityOf(workflow)).toEqual({
      workflowId: workflow.id,
      lastExecution: { id: pending.id, status: 'pending', acceptedAt: expect.any(Number), completedAt: null },
      lastFailedExecutionId,
      hours: [{ startsAt: first, completed: 2, failed: 1, cancelled: 0 }, later],
      triggerTypes: [],
      nextFireAt: null,
    });
    expect((await activityOf(workflow, start + hour))?.hours).toEqual([later]);
  });

  test('does not store hours that are over for more than a day', async () => {
    const workflow = await newWorkflow(store());
    await end(workflow, completed(), start);
    await end(workflow, completed(), start + 25 * hour);
    expect((await activityOf(workflow))?.hours).toHaveLength(2);
    await end(workflow, completed(), start + 26 * hour);
    const hours = (await activityOf(workflow))?.hours.map(({ startsAt }) => (startsAt - first) / hour);
    expect(hours).toEqual([25, 26]);
  });

  test('names each type of trigger once', async () => {
    const workflow = await newWorkflow(store());
    const types = ['trigger_webhook', 'trigger_chat', 'trigger_chat', 'template'];
    const changes = types.map((componentType, index) => ({
      kind: 'create_node' as const,
      node: { ...nodeFields(`n${index}`), componentType },
    }));
    const { id: workflowId, version: baseVersion } = workflow;
    await store().graphs.save({ workflowId, baseVersion, changes, at: start });
    expect((await activityOf(workflow))?.triggerTypes).toEqual(['trigger_chat', 'trigger_webhook']);
  });

  test('has the order of the ids, also of many', async () => {
    const ids: number[] = [];
    const { ownerId } = await newWorkflow(store());
    for (let index = 0; index < 120; index += 1) ids.unshift((await newWorkflow(store(), { ownerId })).id);
    const found = await store().workflows.activity({ workflowIds: ids, since: start });
    expect(found.map(({ workflowId }) => workflowId)).toEqual(ids);
  });

  test('is deleted with its workflow', async () => {
    const workflow = await newWorkflow(store());
    await end(workflow, completed(), start);
    await store().workflows.remove({ ids: [workflow.id], at: start + 1 });
    const purge = () => store().trash.purge({ id: workflow.id, runs: 10, at: start + 2 });
    expect(await purge()).toBe('more');
    expect(await purge()).toBe('purged');
    expect((await activityOf(workflow))?.hours).toEqual([]);
  });
}
