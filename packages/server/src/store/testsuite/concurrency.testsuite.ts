import type { Workflow } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedRun, NewExecution } from '../executions.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, listen, newExecution, newWorkflow, start, stepSucceeded } from './world.ts';

/** Tests of the number of concurrent runs and their order. */
export function concurrencySentences(store: () => Store): void {
  permitSentences(store);
  changeSentences(store);
  turnSentences(store);
  test('a limit is never exceeded, and no slot is lost, whatever happens to runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const world = new LimitedWorld(store(), await newWorkflow(store(), { concurrency: 2 }));
        for (const each of actions) await world.perform(each);
        await world.checkEnd();
      }),
      { numRuns: 40 },
    );
  });
}

async function acceptSome(store: Store, workflow: Workflow, count: number, fields: Partial<NewExecution> = {}) {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await store.executions.accept(newExecution(workflow, fields))).id);
  return ids;
}

const idsOf = (runs: readonly ClaimedRun[]) => runs.map(({ id }) => id);

async function finish(store: Store, run: ClaimedRun | undefined): Promise<void> {
  if (run === undefined) throw new Error('there is no such run');
  expect(await store.executions.append(appendOf(run, [completed()]))).toBe('stored');
}

function permitSentences(store: () => Store): void {
  test('as many runs of a workflow are claimed as its limit allows; when one ends, the oldest of the others follows', async () => {
    const workflow = await newWorkflow(store(), { concurrency: 2 });
    const ids = await acceptSome(store(), workflow, 4);
    const [first, second] = await claim(store());
    expect([first?.id, second?.id]).toEqual(ids.slice(0, 2));
    expect(await claim(store())).toEqual([]);
    const notified = listen(store());
    await finish(store(), second);
    expect(notified).toContain('pending');
    expect(idsOf(await claim(store()))).toEqual(ids.slice(2, 3));
    await finish(store(), first);
    expect(idsOf(await claim(store()))).toEqual(ids.slice(3));
  });

  test('a workflow at its limit blocks no other, however many of its runs wait', async () => {
    const full = await newWorkflow(store(), { concurrency: 1 });
    await acceptSome(store(), full, 40);
    const free = await newWorkflow(store());
    const ids = await acceptSome(store(), free, 3);
    const taken = idsOf(await claim(store(), { limit: 10 }));
    expect(taken).toHaveLength(4);
    expect(taken).toEqual(expect.arrayContaining(ids));
  });

  test('if more runs are blocked than one claim examines, the next claim examines the rest', async () => {
    const full = await newWorkflow(store(), { concurrency: 1 });
    await Promise.all(Array.from({ length: 1200 }, () => store().executions.accept(newExecution(full))));
    expect(await claim(store())).toHaveLength(1);
    const notified = listen(store());
    expect(await claim(store())).toEqual([]);
    expect(notified).toEqual(['pending']);
    await claim(store());
    const { length } = notified;
    expect(await claim(store())).toEqual([]);
    expect(notified).toHaveLength(length);
  });

  test('a run that waits holds no slot', async () => {
    const workflow = await newWorkflow(store(), { concurrency: 1 });
    const [, second] = await acceptSome(store(), workflow, 2);
    const [run] = await claim(store());
    if (run === undefined) throw new Error('nothing was claimed');
    const park = { status: 'waiting', until: null } as const;
    expect(await store().executions.append({ ...appendOf(run, [stepSucceeded('a')]), park })).toBe('parked');
    expect(idsOf(await claim(store()))).toEqual([second]);
  });

  test('a cancelled run frees its slot', async () => {
    const workflow = await newWorkflow(store(), { concurrency: 1 });
    const ids = await acceptSome(store(), workflow, 3);
    const [run] = await claim(store());
    // The blocked one has no slot; the unblocked one has, although it has not begun.
    await store().executions.cancel({ id: ids[2] ?? '', at: start });
    await finish(store(), run);
    await acceptSome(store(), workflow, 1);
    await store().executions.cancel({ id: ids[1] ?? '', at: start });
    expect(await claim(store())).toHaveLength(1);
    expect(await claim(store())).toEqual([]);
  });

  test('after a kill, runs that had begun continue first, and the limit holds', async () => {
    const workflow = await newWorkflow(store(), { concurrency: 2 });
    const ids = await acceptSome(store(), workflow, 5);
    await claim(store());
    expect(await store().executions.recover()).toBe(2);
    const runs = await claim(store(), { owner: 'worker-2' });
    expect(idsOf(runs)).toEqual(ids.slice(0, 2));
    expect(await claim(store())).toEqual([]);
    // Taking over from an owner whose lease ended needs no additional slot.
    const later = { owner: 'worker-3', now: start + 60_000, leaseUntil: start + 90_000 };
    expect(await claim(store(), later)).toHaveLength(2);
    expect(await claim(store(), later)).toEqual([]);
  });

  test('with keys, the limit applies to each key', async () => {
    const workflow = await newWorkflow(store(), { concurrency: 1 });
    const a = await acceptSome(store(), workflow, 2, { concurrencyKey: 'a' });
    const b = await acceptSome(store(), workflow, 2, { concurrencyKey: 'b' });
    const runs = await claim(store());
    expect(idsOf(runs)).toEqual([a[0], b[0]]);
    await finish(store(), runs[1]);
    expect(idsOf(await claim(store()))).toEqual([b[1]]);
  });
}

function changeSentences(store: () => Store): void {
  test('a new limit counts the runs that are already running', async () => {
    const workflow = await newWorkflow(store());
    await acceptSome(store(), workflow, 2);
    const [first, second] = await claim(store());
    await store().workflows.update({ id: workflow.id, changes: { concurrency: 1 }, at: start });
    await acceptSome(store(), workflow, 1);
    expect(await claim(store())).toEqual([]);
    await finish(store(), first);
    expect(await claim(store())).toEqual([]);
    await finish(store(), second);
    expect(await claim(store())).toHaveLength(1);
  });

  test.each([
    [3, 2],
    [null, 4],
  ] as const)('changing a limit of 1 to %s lets %i more start', async (concurrency, more) => {
    const workflow = await newWorkflow(store(), { concurrency: 1 });
    await acceptSome(store(), workflow, 5);
    await claim(store());
    await claim(store());
    const notified = listen(store());
    await store().workflows.update({ id: workflow.id, changes: { concurrency }, at: start });
    expect(notified).toContain('pending');
    expect(await claim(store())).toHaveLength(more);
  });
}

function turnSentences(store: () => Store): void {
  test('workflows alternate, however many runs of one are waiting', async () => {
    const busy = await newWorkflow(store());
    await Promise.all(Array.from({ length: 10_000 }, () => store().executions.accept(newExecution(busy))));
    await claim(store(), { limit: 64 });
    const quiet = await newWorkflow(store());
    const ids = await acceptSome(store(), quiet, 3);
    const taken = idsOf(await claim(store(), { limit: 8 }));
    expect(taken).toEqual(expect.arrayContaining(ids));
  });

  test('a higher priority is claimed first', async () => {
    const usual = await newWorkflow(store());
    const urgent = await newWorkflow(store(), { priority: 5 });
    const idle = await newWorkflow(store(), { priority: -5 });
    const last = await acceptSome(store(), idle, 1);
    const second = await acceptSome(store(), usual, 2);
    const first = await acceptSome(store(), urgent, 2);
    expect(idsOf(await claim(store()))).toEqual([...first, ...second, ...last]);
  });

  test('a released run keeps its queue position', async () => {
    const workflow = await newWorkflow(store());
    const ids = await acceptSome(store(), workflow, 3);
    await claim(store(), { limit: 1 });
    await store().executions.release({ owner: 'worker-1' });
    expect(idsOf(await claim(store()))).toEqual(ids);
  });
}

const action = fc.record({
  kind: fc.constantFrom('accept', 'accept', 'claim', 'claim', 'finish', 'park', 'cancel', 'recover', 'limit'),
  pick: fc.nat({ max: 9 }),
} as const);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** A workflow with a limit and keys, on which random operations are performed. */
class LimitedWorld {
  readonly #store: Store;
  readonly #workflow: Workflow;
  readonly #ids: string[] = [];
  readonly #keys = new Map<string, string>();
  #running = new Map<string, ClaimedRun>();
  #limit = 2;

  constructor(store: Store, workflow: Workflow) {
    this.#store = store;
    this.#workflow = workflow;
  }

  async perform({ kind, pick }: Action): Promise<void> {
    const { executions, workflows } = this.#store;
    const [id, run] = [this.#ids[pick % this.#ids.length], [...this.#running.values()][pick % this.#running.size]];
    if (kind === 'accept') await this.#accept(pick % 2 === 0 ? 'even' : 'odd');
    else if (kind === 'claim') await this.#claim(1 + (pick % 3));
    else if (kind === 'recover') await this.#recover();
    else if (kind === 'cancel' && id !== undefined) await executions.cancel({ id, at: start });
    else if (kind === 'finish' && run !== undefined) await this.#end(run, {});
    else if (kind === 'park' && run !== undefined) await this.#end(run, { park: { status: 'waiting', until: null } });
    else if (kind === 'limit') {
      this.#limit = 1 + (pick % 3);
      await workflows.update({ id: this.#workflow.id, changes: { concurrency: this.#limit }, at: start });
    }
  }

  async #accept(concurrencyKey: string): Promise<void> {
    const { id } = await this.#store.executions.accept(newExecution(this.#workflow, { concurrencyKey }));
    this.#ids.push(id);
    this.#keys.set(id, concurrencyKey);
  }

  async #claim(limit: number): Promise<void> {
    for (const run of await claim(this.#store, { limit })) {
      this.#running.set(run.id, run);
      expect(this.#runningOf(this.#keys.get(run.id))).toBeLessThanOrEqual(this.#limit);
    }
  }

  #runningOf(key: string | undefined): number {
    return [...this.#running.keys()].filter((id) => this.#keys.get(id) === key).length;
  }

  async #recover(): Promise<void> {
    await this.#store.executions.recover();
    this.#running = new Map();
  }

  async #end(run: ClaimedRun, { park }: Pick<Parameters<Store['executions']['append']>[0], 'park'>): Promise<void> {
    const facts = park === undefined ? [completed()] : [];
    const outcome = await this.#store.executions.append({
      ...appendOf(run, facts),
      afterSeq: run.journal.at(-1)?.seq ?? 0,
      ...(park && { park }),
    });
    // A run that was asked to stop is not parked.
    if (park === undefined || outcome === 'parked') this.#running.delete(run.id);
  }

  /** The remaining runs all run in the end, as fast as the limit allows. */
  async checkEnd(): Promise<void> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      await this.#claim(100);
      const [run] = this.#running.values();
      if (run === undefined) break;
      await this.#end(run, {});
    }
    const { total } = await this.#store.executions.list({
      visibleTo: this.#workflow.ownerId,
      status: 'pending',
      limit: 1,
      offset: 0,
    });
    expect(total).toBe(0);
  }
}
