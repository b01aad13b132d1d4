import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import {
  appendOf,
  completed,
  newExecution,
  newUser,
  newWorkflow,
  runningRun,
  someTrigger,
  start,
  stepSucceeded,
} from './world.ts';

/** Tests of reading and deleting single runs. */
export function historySentences(store: () => Store): void {
  const unknown = '01900000-0000-7000-8000-ffffffffffff';

  test('a run can be read with its trigger, journal and output', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await store().executions.accept(newExecution(workflow));
    const run = await store().executions.byId(id);
    expect(await store().executions.detail(id)).toEqual({
      ...run,
      trigger: someTrigger,
      finalOutput: null,
      journal: [],
    });
    expect(await store().executions.detail(unknown)).toBeNull();
    expect(await store().executions.byId(unknown)).toBeNull();
  });

  test('a run shows the current slug of its workflow, even of a deleted one', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await store().executions.accept(newExecution(workflow));
    await store().workflows.update({ id: workflow.id, changes: { slug: 'renamed' }, at: start });
    expect(await store().executions.byId(id)).toMatchObject({ workflowSlug: 'renamed' });
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(await store().executions.detail(id)).toMatchObject({ workflowSlug: 'renamed', status: 'cancelled' });
  });

  test("deleting removes the owner's ended runs with their journals, and no others", async () => {
    const workflow = await newWorkflow(store());
    const ended = await runningRun(store(), workflow);
    await store().executions.append(appendOf(ended, [stepSucceeded('a'), completed()]));
    const running = await runningRun(store(), workflow);
    const foreign = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(foreign, [completed()]));
    const ids = [running.id, ended.id, foreign.id, unknown, ended.id];
    expect(await store().executions.remove({ ids, removableBy: workflow.ownerId })).toEqual([ended.id]);
    expect(await store().executions.detail(ended.id)).toBeNull();
    expect(await store().executions.byId(running.id)).not.toBeNull();
    expect(await store().executions.byId(foreign.id)).not.toBeNull();
  });

  test('a user without access can delete nothing', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [completed()]));
    const { id: visibleTo } = await newUser(store());
    expect(await store().executions.remove({ ids: [run.id], removableBy: visibleTo })).toEqual([]);
    expect(await store().executions.byId(run.id)).not.toBeNull();
  });
}
