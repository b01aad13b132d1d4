import { type Execution, executionStatuses, isEnded, type Workflow } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedRun, ExecutionFilter } from '../executions.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, newExecution, newWorkflow, start, stepSucceeded } from './world.ts';

/** Invariants after any sequence of calls, grouped into turns in any way. */
export function lawSentences(store: () => Store): void {
  test('journals have no gaps, ended runs stay ended, and totals are correct, whatever happens to runs', async () => {
    // Several histories one after another in one store: totals must also be correct beside other owners' runs.
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
        const history = new History(store(), [await newWorkflow(store()), await newWorkflow(store())]);
        for (const actions of turns) await history.live(actions);
        await history.check();
      }),
      { numRuns: 30 },
    );
  });
}

const action = fc.record({
  kind: fc.constantFrom('accept', 'accept', 'claim', 'step', 'step', 'finish', 'cancel', 'release', 'remove', 'expire'),
  pick: fc.nat({ max: 9 }),
} as const);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** The calls of one turn of the event loop, which share a transaction. */
const turn = fc.array(action, { minLength: 1, maxLength: 6 });

/** A random history of some runs, and its invariants. */
class History {
  readonly #store: Store;
  readonly #workflows: readonly Workflow[];
  readonly #ids: string[] = [];
  readonly #held: { run: ClaimedRun; seq: number }[] = [];
  readonly #ends = new Map<string, Execution>();
  #now = start;

  constructor(store: Store, workflows: readonly Workflow[]) {
    this.#store = store;
    this.#workflows = workflows;
  }

  async live(actions: readonly Action[]): Promise<void> {
    await Promise.all(actions.map((one) => this.#perform(one)));
    for (const id of this.#ids) {
      const run = await this.#store.executions.byId(id);
      const end = this.#ends.get(id);
      if (run !== null && end !== undefined) expect(run).toEqual(end);
      if (run !== null && isEnded(run.status)) this.#ends.set(id, run);
    }
  }

  async #perform({ kind, pick }: Action): Promise<void> {
    const { executions } = this.#store;
    const workflow = this.#workflows[pick % this.#workflows.length];
    const id = this.#ids[pick % Math.max(1, this.#ids.length)];
    const held = this.#held[pick % Math.max(1, this.#held.length)];
    if (kind === 'accept' && workflow !== undefined) {
      this.#ids.push((await executions.accept(newExecution(workflow, { at: this.#now }))).id);
    } else if (kind === 'claim' || kind === 'expire') {
      if (kind === 'expire') this.#now += 31_000;
      const [now, leaseUntil] = [this.#now, this.#now + 30_000];
      const claimed = await claim(this.#store, { owner: `worker-${pick % 2}`, now, leaseUntil, limit: pick });
      for (const run of claimed) this.#held.push({ run, seq: run.journal.length });
    } else if ((kind === 'step' || kind === 'finish') && held !== undefined) {
      const fact = kind === 'step' ? stepSucceeded('a') : completed();
      // Owners that lost their run append repeatedly; these appends must be rejected.
      if ((await executions.append(appendOf(held.run, [fact], held.seq))) === 'stored') held.seq += 1;
    } else if (kind === 'release') await executions.release({ owner: `worker-${pick % 2}` });
    else if (kind === 'cancel' && id !== undefined) await executions.cancel({ id, at: this.#now });
    else if (kind === 'remove' && id !== undefined && workflow !== undefined) {
      await executions.remove({ ids: [id], removableBy: workflow.ownerId });
    }
  }

  async check(): Promise<void> {
    for (const id of this.#ids) await this.#checkJournal(id);
    for (const { ownerId, id } of this.#workflows) {
      await this.#checkTotals({ visibleTo: ownerId });
      await this.#checkTotals({ visibleTo: ownerId, workflowId: id });
    }
  }

  async #checkJournal(id: string): Promise<void> {
    const run = await this.#store.executions.detail(id);
    if (run === null) return;
    expect(run.journal.map(({ seq }) => seq)).toEqual(run.journal.map((_, index) => index + 1));
    const ends = run.journal.filter(({ fact }) => fact.kind === 'run_finished');
    expect(ends).toHaveLength(isEnded(run.status) ? 1 : 0);
    expect(ends[0]?.seq ?? 0).toBe(isEnded(run.status) ? run.journal.length : 0);
  }

  /** The total of each list equals that of a search for everything, which examines every run. */
  async #checkTotals(filter: Pick<ExecutionFilter, 'visibleTo' | 'workflowId'>): Promise<void> {
    const all = { ...filter, limit: 1000, offset: 0 };
    for (const status of [undefined, ...executionStatuses]) {
      const wanted = status === undefined ? all : { ...all, status };
      const counted = await this.#store.executions.list(wanted);
      expect(counted).toEqual(await this.#store.executions.list({ ...wanted, since: 0 }));
      expect(counted.total).toBe(counted.items.length);
    }
  }
}
