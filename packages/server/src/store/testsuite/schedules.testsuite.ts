import { type Instant, type Node, nodeConfig, type Timetable, type Workflow } from '@millrace/core';
import { expect, it, test } from 'vitest';
import type { NodeFields } from '../graphs.ts';
import type { DueSchedule, Firing } from '../schedules.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, start as moment, newExecution, newWorkflow, nodeFields } from './world.ts';

const second = 1000;
/** Times of schedules are whole milliseconds. */
const start = Math.floor(moment);

/** Fires at the interval that `interval_seconds` of a schedule gives. */
export function everySoMany({ interval_seconds: seconds }: { interval_seconds?: unknown }): Timetable | null {
  if (typeof seconds !== 'number') return null;
  const ms = seconds * second;
  return {
    fires: () => true,
    next: (after, { anchor }) => anchor + (Math.floor((after - anchor) / ms) + 1) * ms,
    last: () => [],
  };
}

function scheduleFields(nodeId: string, seconds: number | null, common: object = {}): NodeFields {
  const config = nodeConfig.parse({ ...common, extra_config: seconds === null ? {} : { interval_seconds: seconds } });
  return { ...nodeFields(nodeId), componentType: 'trigger_schedule', config };
}

/** Adds a schedule node to a workflow at its current version and returns the node. */
async function addSchedule(store: Store, workflow: Workflow, seconds: number | null = 60): Promise<Node> {
  const version = (await store.workflows.byId(workflow.id))?.version ?? 0;
  const changes = [{ kind: 'create_node', node: scheduleFields(`tick${version}`, seconds) } as const];
  const result = await store.graphs.save({ workflowId: workflow.id, baseVersion: version, changes, at: start });
  if (result === 'stale') throw new Error('the workflow has moved on');
  return result.saved[0] as Node;
}

async function change(store: Store, node: Node, fields: Partial<NodeFields>, at: Instant): Promise<void> {
  const schedule = await dueAt(store, start + 1e9);
  const workflowId = schedule?.workflowId ?? 0;
  const version = (await store.workflows.byId(workflowId))?.version ?? 0;
  const changes = [{ kind: 'update_node', id: node.id, node: { ...node, ...fields } } as const];
  expect(await store.graphs.save({ workflowId, baseVersion: version, changes, at })).not.toBe('stale');
}

async function dueAt(store: Store, now: Instant): Promise<DueSchedule | undefined> {
  return (await store.schedules.due({ now, limit: 10 }))[0];
}

/** A firing of a due schedule, with a run for its time. */
function firingOf(workflow: Workflow, { id, dueAt: fireAt }: DueSchedule, fields: Partial<Firing> = {}): Firing {
  const { idempotency: _none, ...run } = newExecution(workflow);
  const runs = [{ fireAt, run }];
  return {
    id,
    dueAt: fireAt,
    lastDueAt: fireAt,
    now: fireAt,
    runs,
    overlap: 'parallel',
    rejected: 0,
    error: null,
    ...fields,
  };
}

/** The store must have been opened with `everySoMany`. */
export function scheduleSentences(store: () => Store): void {
  timeSentences(store);
  firingSentences(store);
  followingSentences(store);
  steeringSentences(store);
}

function readerOf(store: () => Store) {
  return {
    async only(workflow: Workflow) {
      return (await store().schedules.ofWorkflow(workflow.id))[0];
    },
    async due(now: Instant): Promise<DueSchedule> {
      const found = await dueAt(store(), now);
      if (found === undefined) throw new Error('nothing is due');
      return found;
    },
  };
}

function timeSentences(store: () => Store): void {
  const { only } = readerOf(store);

  it('gives a new schedule its first time', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await addSchedule(store(), workflow);
    expect(await only(workflow)).toEqual({
      id,
      state: 'active',
      nextFireAt: start + 60 * second,
      lastFireAt: null,
      lastExecutionId: null,
      skipped: 0,
      error: null,
      steeredAt: null,
    });
    expect(await store().schedules.earliest()).toBe(start + 60 * second);
  });

  it('has no schedules for other nodes or other workflows', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const other = await newWorkflow(store());
    const changes = [{ kind: 'create_node', node: nodeFields('a') } as const];
    await store().graphs.save({ workflowId: other.id, baseVersion: 1, changes, at: start });
    expect(await store().schedules.ofWorkflow(other.id)).toEqual([]);
  });

  it('returns due schedules, the longest due first', async () => {
    const workflow = await newWorkflow(store());
    const slow = await addSchedule(store(), workflow, 60);
    const quick = await addSchedule(store(), workflow, 10);
    await addSchedule(store(), workflow, 3600);
    const ids = async (now: Instant, limit = 10) => (await store().schedules.due({ now, limit })).map(({ id }) => id);
    expect(await ids(start)).toEqual([]);
    expect(await ids(start + 10 * second)).toEqual([quick.id]);
    expect(await ids(start + 60 * second)).toEqual([quick.id, slow.id]);
    expect(await ids(start + 60 * second, 1)).toEqual([quick.id]);
  });
}

function firingSentences(store: () => Store): void {
  const { only, due } = readerOf(store);

  it('fires: stores the run, sets the next time, and announces the run as claimable', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const notified: string[] = [];
    store().subscribe({ pending: () => void notified.push('pending') });
    const firing = firingOf(workflow, await due(start + 60 * second));
    expect(await store().schedules.fire(firing)).toBe('fired');
    expect(notified).toEqual(['pending']);
    const [run] = await claim(store());
    expect(run?.id).toBe(firing.runs[0]?.run.id);
    expect(await only(workflow)).toMatchObject({
      nextFireAt: start + 120 * second,
      lastFireAt: start + 60 * second,
      lastExecutionId: run?.id,
    });
  });

  it('fires a time once, whichever caller is first', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const schedule = await due(start + 60 * second);
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => store().schedules.fire(firingOf(workflow, schedule))),
    );
    expect(tries.filter((outcome) => outcome === 'fired')).toHaveLength(1);
    expect(await claim(store())).toHaveLength(1);
  });

  it('has one run for a time, even if the time comes again', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const first = firingOf(workflow, await due(start + 60 * second));
    await store().schedules.fire(first);
    const later = firingOf(workflow, await due(start + 120 * second));
    const again = { ...later, runs: later.runs.map((run) => ({ ...run, fireAt: first.dueAt })) };
    expect(await store().schedules.fire(again)).toBe('fired');
    expect((await claim(store())).map(({ id }) => id)).toEqual([first.runs[0]?.run.id]);
  });

  it('starts nothing while a run of the schedule is open, if its policy is to skip', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const skipping = { overlap: 'skip' } as const;
    await store().schedules.fire(firingOf(workflow, await due(start + 60 * second), skipping));
    const [run] = await claim(store());
    await store().schedules.fire(firingOf(workflow, await due(start + 120 * second), skipping));
    expect(await claim(store())).toEqual([]);
    expect(await only(workflow)).toMatchObject({
      skipped: 1,
      lastExecutionId: run?.id,
      lastFireAt: start + 120 * second,
    });
    if (run !== undefined) await store().executions.append(appendOf(run, [completed()]));
    await store().schedules.fire(firingOf(workflow, await due(start + 180 * second), skipping));
    expect(await claim(store())).toHaveLength(1);
  });

  it('starts several runs at once, or none, and stores the reason', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const schedule = await due(start + 300 * second);
    const runs = [60, 120].map((seconds) => {
      return { ...firingOf(workflow, schedule).runs[0], fireAt: start + seconds * second } as Firing['runs'][number];
    });
    const now = start + 130 * second;
    await store().schedules.fire(firingOf(workflow, schedule, { runs, now, lastDueAt: start + 120 * second }));
    expect(await claim(store())).toHaveLength(2);
    const next = await due(start + 300 * second);
    expect(next.dueAt).toBe(start + 180 * second);
    await store().schedules.fire(
      firingOf(workflow, next, { runs: [], rejected: 1, error: 'The workflow cannot run.' }),
    );
    expect(await only(workflow)).toMatchObject({ skipped: 1, error: 'The workflow cannot run.' });
  });
}

function followingSentences(store: () => Store): void {
  const { only, due } = readerOf(store);

  it('follows its node: new times restart it, a new name changes nothing, and deleting the node deletes it', async () => {
    const workflow = await newWorkflow(store());
    const node = await addSchedule(store(), workflow);
    const at = start + 30 * second;
    await change(store(), node, { nodeId: 'renamed', positionX: 7 }, at);
    expect((await only(workflow))?.nextFireAt).toBe(start + 60 * second);
    await change(store(), node, scheduleFields('renamed', 90), at);
    expect((await only(workflow))?.nextFireAt).toBe(at + 90 * second);
    const changes = [{ kind: 'delete_node', id: node.id, nodeId: 'renamed' } as const];
    await store().graphs.save({ workflowId: workflow.id, baseVersion: 4, changes, at });
    expect(await only(workflow)).toBeUndefined();
    expect(await store().schedules.earliest()).toBeNull();
  });

  it('clears its errors when it is changed or restarted, and not when its node is moved', async () => {
    const workflow = await newWorkflow(store());
    const node = await addSchedule(store(), workflow);
    const spoil = async (now: Instant) => {
      const { dueAt: fireAt } = await due(now);
      await store().schedules.fire(
        firingOf(workflow, await due(now), { runs: [], rejected: 1, error: 'No.', now: fireAt }),
      );
      expect(await only(workflow)).toMatchObject({ skipped: 1, error: 'No.' });
    };
    await spoil(start + 60 * second);
    const at = start + 70 * second;
    await change(store(), node, { nodeId: 'moved', positionX: 7 }, at);
    expect(await only(workflow)).toMatchObject({ skipped: 1, error: 'No.' });
    const payload = nodeConfig.parse({ extra_config: { interval_seconds: 60, trigger_payload: { n: 1 } } });
    await change(store(), node, { config: payload }, at);
    // It has its previous rhythm.
    expect(await only(workflow)).toMatchObject({ skipped: 0, error: null, nextFireAt: start + 120 * second });
    await spoil(start + 120 * second);
    await change(store(), node, scheduleFields('moved', 90), start + 130 * second);
    expect(await only(workflow)).toMatchObject({ skipped: 0, error: null });
    await spoil(start + 220 * second);
    for (const state of ['stopped', 'active'] as const) {
      await store().schedules.setState({ id: node.id, state, at: start + 230 * second });
    }
    expect(await only(workflow)).toMatchObject({ skipped: 0, error: null });
  });

  test.each([
    ['a config without a time', scheduleFields('tick1', null)],
    ['an inactive node', scheduleFields('tick1', 60, { is_active: false })],
  ])('is idle with %s', async (_what, fields) => {
    const workflow = await newWorkflow(store());
    const node = await addSchedule(store(), workflow);
    await change(store(), node, fields, start);
    expect(await only(workflow)).toMatchObject({ state: 'active', nextFireAt: null });
  });

  it('is idle while its workflow is inactive, and keeps its rhythm', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    const at = start + 10 * second;
    await store().workflows.update({ id: workflow.id, changes: { isActive: false }, at });
    expect((await only(workflow))?.nextFireAt).toBeNull();
    await addSchedule(store(), workflow, 5);
    expect(await store().schedules.earliest()).toBeNull();
    await store().workflows.update({ id: workflow.id, changes: { isActive: true }, at: start + 150 * second });
    expect((await only(workflow))?.nextFireAt).toBe(start + 180 * second);
  });

  it('is not changed by an update of its workflow that leaves it active', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    await store().workflows.update({ id: workflow.id, changes: { isActive: true, name: 'Other' }, at: start + 1e6 });
    expect((await only(workflow))?.nextFireAt).toBe(start + 60 * second);
  });

  it('is idle in the trash, resumes when its workflow is restored, and is deleted permanently with it', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(await store().schedules.earliest()).toBeNull();
    await store().trash.restore({ id: workflow.id, slug: workflow.slug, at: start + 100 * second });
    expect(await store().schedules.earliest()).toBe(start + 120 * second);
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(await store().trash.purge({ id: workflow.id, runs: 10, at: start })).toBe('purged');
    expect(await only(workflow)).toBeUndefined();
  });
}

function steeringSentences(store: () => Store): void {
  const { due } = readerOf(store);

  it('keeps its rhythm during a pause, restarts after a stop, and publishes both', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await addSchedule(store(), workflow);
    const states: unknown[] = [];
    store().subscribe({
      published: (events) =>
        void states.push(...events.map(({ event }) => event.type === 'node_updated' && event.schedule?.state)),
    });
    const set = (state: 'active' | 'paused' | 'stopped', seconds: number) =>
      store().schedules.setState({ id, state, at: start + seconds * second });
    expect(await set('paused', 10)).toMatchObject({ state: 'paused', nextFireAt: null });
    expect(await set('active', 100)).toMatchObject({ state: 'active', nextFireAt: start + 120 * second });
    expect(await set('stopped', 110)).toMatchObject({ state: 'stopped', nextFireAt: null });
    expect(await set('active', 115)).toMatchObject({ state: 'active', nextFireAt: start + 175 * second });
    expect(await set('active', 150)).toMatchObject({ nextFireAt: start + 175 * second });
    expect(states).toEqual(['paused', 'active', 'stopped', 'active']);
    expect(await store().schedules.setState({ id: 999, state: 'active', at: start })).toBeNull();
  });

  it('is changed together with its workflow, at a later time for each change; a change without effect is ignored', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await addSchedule(store(), workflow);
    const updatedAt = async () => (await store().workflows.byId(workflow.id))?.updatedAt ?? 0;
    const version = (await store().workflows.byId(workflow.id))?.version;
    const set = (state: 'active' | 'paused') => store().schedules.setState({ id, state, at: start });
    let before = await updatedAt();
    for (const state of ['paused', 'active', 'paused'] as const) {
      const { steeredAt } = (await set(state)) ?? { steeredAt: null };
      expect(steeredAt).toBeGreaterThan(before);
      before = await updatedAt();
      expect(steeredAt).toBe(before);
      expect(await set(state)).toMatchObject({ steeredAt });
      expect(await updatedAt()).toBe(before);
    }
    expect((await store().workflows.byId(workflow.id))?.version).toBe(version);
  });

  it('restarts if the clock was set back to before its last time', async () => {
    const workflow = await newWorkflow(store());
    await addSchedule(store(), workflow);
    await store().schedules.fire(firingOf(workflow, await due(start + 60 * second)));
    const now = start - 3600 * second;
    expect(await store().schedules.replan({ now, afterId: 0, limit: 10 })).toBeNull();
    expect(await store().schedules.earliest()).toBe(now + 60 * second);
  });

  it('recomputes times in batches, without changing due ones', async () => {
    const workflow = await newWorkflow(store());
    const ids = [];
    for (const seconds of [10, 60, 60, 60]) ids.push((await addSchedule(store(), workflow, seconds)).id);
    const now = start + 20 * second;
    const first = await store().schedules.replan({ now, afterId: 0, limit: 2 });
    expect(first).toBe(ids[2]);
    expect(await store().schedules.replan({ now, afterId: first ?? 0, limit: 2 })).toBeNull();
    expect(await store().schedules.earliest()).toBe(start + 10 * second);
  });
}
