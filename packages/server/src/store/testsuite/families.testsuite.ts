import {
  executionStatuses,
  type Fact,
  type Instant,
  isEnded,
  type Pause,
  type RunFinished,
  type StepPaused,
  type Workflow,
} from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Append, ClaimedRun } from '../executions.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, newExecution, newUser, newWorkflow, start } from './world.ts';

/** Tests of runs that wait for each other, and of the consequences when one of them ends. */
export function familySentences(store: () => Store): void {
  lawSentence(store);
  unneededSentences(store);
  purgeSentences(store);
}

const ended: Instant = start + 5000;

/** One run of a forest: its parent, its workflow and its state; pending ones are never claimed. */
const member = fc.record({
  parent: fc.option(fc.nat({ max: 5 })),
  workflow: fc.nat({ max: 1 }),
  doing: fc.constantFrom('pending', 'running', 'waiting', 'interrupted', 'woken'),
} as const);
type Member = typeof member extends fc.Arbitrary<infer T> ? T : never;

const action = fc.constantFrom('remove', 'purge', 'cancel', 'remove both');
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function lawSentence(store: () => Store): void {
  test('however runs wait for each other, any workflow can be deleted and any run cancelled, with all consequences', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { minLength: 1, maxLength: 7 }),
        action,
        fc.nat(),
        async (members, what, pick) => {
          const { id: ownerId } = await newUser(store());
          const workflows = [await newWorkflow(store(), { ownerId }), await newWorkflow(store(), { ownerId })];
          const forest = new Forest(store(), workflows, members);
          await forest.grow();
          await forest.suffer(what, pick);
          await forest.check();
          await forest.clear();
        },
      ),
      { numRuns: 40 },
    );
  });
}

/** Some runs, and the cancel requests that their owners received. */
class Forest {
  readonly #store: Store;
  readonly #workflows: readonly Workflow[];
  readonly #members: readonly Member[];
  readonly #ids: string[] = [];
  readonly #held = new Map<number, { run: ClaimedRun; seq: number }>();
  readonly #asked = new Set<string>();
  readonly #mustEnd = new Set<string>();
  /** Open runs of other tests. */
  #before = 0;

  constructor(store: Store, workflows: readonly Workflow[], members: readonly Member[]) {
    this.#store = store;
    this.#workflows = workflows;
    this.#members = members;
    store.subscribe({ cancelRequested: (ids) => void ids.map((id) => this.#asked.add(id)) });
  }

  /** The parent is one of the earlier runs, and has begun. */
  #parentOf(index: number): number | null {
    const { parent } = this.#members[index] ?? { parent: null };
    if (parent === null || parent >= index) return null;
    return this.#members[parent]?.doing === 'pending' ? null : parent;
  }

  async grow(): Promise<void> {
    this.#before = await this.#store.executions.openCount();
    // Pending runs come last, so that no claim takes them.
    for (const [index, { doing }] of this.#members.entries()) if (doing !== 'pending') await this.#add(index, doing);
    for (const [index, { doing }] of this.#members.entries()) if (doing === 'pending') await this.#add(index, doing);
    for (const [index, { doing }] of this.#members.entries()) {
      if (doing === 'waiting' || doing === 'interrupted') await this.#append(index, [], { park: parkAs(doing) });
      if (doing !== 'woken') continue;
      const pause = { kind: 'callback', tokenHash: 'x', until: null } as const;
      await this.#append(index, [paused('call', pause)], { park: parkAs('waiting') });
      const key = { executionId: this.#ids[index] ?? '', frame: '', nodeId: 'call', stage: 'step' } as const;
      await this.#store.waits.answer({ ...key, answer: { kind: 'call', body: 1 } });
    }
  }

  async #add(index: number, doing: Member['doing']): Promise<void> {
    const workflow = this.#workflows[this.#members[index]?.workflow ?? 0];
    if (workflow === undefined) throw new Error('there is no such workflow');
    const parent = this.#parentOf(index);
    const above = parent === null ? undefined : { executionId: this.#ids[parent] ?? '', depth: 1 };
    const run = newExecution(workflow, above === undefined ? {} : { parent: above });
    this.#ids[index] = run.id;
    if (parent === null) await this.#store.executions.accept(run);
    else {
      const pause = { kind: 'child', executionId: run.id, workflow: workflow.slug, until: null } as const;
      await this.#append(parent, [paused(`child${index}`, pause)], { starts: [run] });
    }
    if (doing === 'pending') return;
    const claimed = (await claim(this.#store)).find(({ id }) => id === run.id);
    if (claimed !== undefined) this.#held.set(index, { run: claimed, seq: 0 });
  }

  async #append(index: number, facts: readonly Fact[], rest: Partial<Append> = {}): Promise<void> {
    const held = this.#held.get(index);
    if (held === undefined) throw new Error('nobody has this run');
    await this.#store.executions.append({ ...appendOf(held.run, facts, held.seq), ...rest });
    held.seq += facts.length;
  }

  async suffer(what: Action, pick: number): Promise<void> {
    const index = pick % this.#members.length;
    const workflows = what === 'remove both' ? [0, 1] : [this.#members[index]?.workflow ?? 0];
    const ids = workflows.map((at) => this.#workflows[at]?.id ?? 0);
    if (what === 'cancel') await this.#store.executions.cancel({ id: this.#ids[index] ?? '', at: ended });
    else await this.#store.workflows.remove({ ids, at: ended });
    for (const [at, id] of this.#ids.entries()) {
      const hit = what === 'cancel' ? at === index : workflows.includes(this.#members[at]?.workflow ?? 0);
      if (hit || this.#mustEnd.has(this.#ids[this.#parentOf(at) ?? -1] ?? '')) this.#mustEnd.add(id);
    }
    if (what === 'purge') for (const id of ids) while ((await this.#purge(id)) === 'more');
    await this.#owners();
  }

  #purge(id: number): Promise<string> {
    return this.#store.trash.purge({ id, runs: 2, at: ended });
  }

  /** Runs that were asked to stop do so, if the caller still owns them. */
  async #owners(): Promise<void> {
    for (const [index, { run }] of this.#held) {
      if (this.#asked.has(run.id)) await this.#append(index, [cancelled]);
    }
  }

  async check(): Promise<void> {
    let open = 0;
    for (const [index, id] of this.#ids.entries()) {
      const run = await this.#store.executions.detail(id);
      const isOpen = run !== null && !isEnded(run.status);
      if (this.#mustEnd.has(id)) expect(isOpen).toBe(false);
      if (run === null) continue;
      expect(run.journal.map(({ seq }) => seq)).toEqual(run.journal.map((_, at) => at + 1));
      expect(run.journal.filter(({ fact }) => fact.kind === 'run_finished')).toHaveLength(isOpen ? 0 : 1);
      if (run.status === 'pending' || run.status === 'running') open += 1;
      if (!this.#mustEnd.has(id)) await this.#checkParent(id, this.#members[index]?.doing);
    }
    expect(await this.#store.executions.openCount()).toBe(this.#before + open);
    await this.#checkTotals();
  }

  /** Each run that waited for an ended one has its answer, and continues. */
  async #checkParent(id: string, doing: Member['doing'] | undefined): Promise<void> {
    const children = this.#ids.filter((_, index) => this.#ids[this.#parentOf(index) ?? -1] === id);
    const over = children.filter((child) => this.#mustEnd.has(child));
    const answers = (await this.#store.waits.answers(id)).filter(({ answer }) => answer.kind === 'end');
    expect(answers).toHaveLength(over.length);
    const waitsFor = (await this.#store.waits.open(id)).filter(({ pause }) => pause.kind === 'child');
    expect(waitsFor).toHaveLength(children.length - over.length);
    const status = (await this.#store.executions.byId(id))?.status;
    const isParked = doing === 'waiting' || doing === 'interrupted';
    if (over.length > 0 && isParked) expect(status).toBe('pending');
    else expect(status).toBe(doing === 'woken' ? 'pending' : doing);
  }

  /** The total of each list equals that of a search for everything, which examines every run. */
  async #checkTotals(): Promise<void> {
    const visibleTo = this.#workflows[0]?.ownerId ?? 0;
    for (const status of executionStatuses) {
      for (const filter of [{}, ...this.#workflows.map(({ id }) => ({ workflowId: id }))]) {
        const wanted = { visibleTo, status, ...filter, limit: 100, offset: 0 };
        const { total, items } = await this.#store.executions.list(wanted);
        expect(total).toBe((await this.#store.executions.list({ ...wanted, since: 0 })).items.length);
        expect(total).toBe(items.length);
      }
    }
  }

  /** Ends all runs, so that the next forest can claim none of them. */
  async clear(): Promise<void> {
    await this.#store.workflows.remove({ ids: this.#workflows.map(({ id }) => id), at: ended });
    await this.#owners();
    expect(await this.#store.executions.openCount()).toBe(this.#before);
  }
}

const cancelled: RunFinished = {
  kind: 'run_finished',
  at: ended,
  status: 'cancelled',
  output: null,
  failure: { code: 'run_cancelled', message: 'The execution was cancelled.' },
  nodeId: null,
};

function parkAs(status: 'waiting' | 'interrupted'): NonNullable<Append['park']> {
  return { status, until: null };
}

function paused(nodeId: string, pause: Pause): StepPaused {
  return { kind: 'step_paused', at: start, frame: '', nodeId, stage: 'step', attempt: 1, pause };
}

function unneededSentences(store: () => Store): void {
  /** A run whose append starts a child and abandons it at the same time. */
  async function startUnneeded(unneeded: (key: { nodeId: string; frame: string; stage: 'step' }) => Partial<Append>) {
    const parent = newExecution(await newWorkflow(store()));
    await store().executions.accept(parent);
    const [run] = await claim(store());
    if (run === undefined) throw new Error('nothing was claimed');
    const child = newExecution(await newWorkflow(store()), { parent: { executionId: run.id, depth: 1 } });
    const pause = { kind: 'child', executionId: child.id, workflow: 'child', until: start + 1 } as const;
    const { facts = [], ...rest } = unneeded({ nodeId: 'call', frame: '', stage: 'step' });
    const all = [paused('call', pause), ...facts];
    await store().executions.append({ ...appendOf(run, all), ...rest, starts: [child] });
    return store().executions.detail(child.id);
  }

  test('a run that is started and abandoned by one append never runs', async () => {
    const child = await startUnneeded((key) => ({ abandoned: [{ ...key, at: start + 7 }] }));
    expect(child).toMatchObject({ status: 'cancelled', completedAt: start + 7 });
    expect(await claim(store())).toEqual([]);
  });

  test('a run whose wait times out in the append that starts it never runs either', async () => {
    const child = await startUnneeded((key) => ({
      facts: [{ kind: 'step_resumed', at: start + 7, ...key, answer: { kind: 'time' } }],
    }));
    expect(child).toMatchObject({ status: 'cancelled', completedAt: start + 7 });
  });
}

function purgeSentences(store: () => Store): void {
  test('a running sub-workflow that is permanently deleted answers its parent, and the runs that it waits for end', async () => {
    const [elsewhere, gone] = [await newWorkflow(store()), await newWorkflow(store())];
    const members: Member[] = [
      { parent: null, workflow: 0, doing: 'waiting' },
      { parent: 0, workflow: 1, doing: 'running' },
      { parent: 1, workflow: 0, doing: 'waiting' },
    ];
    const forest = new Forest(store(), [elsewhere, gone], members);
    await forest.grow();
    await forest.suffer('purge', 1);
    await forest.check();
    const { items } = await store().executions.list({ visibleTo: elsewhere.ownerId, limit: 9, offset: 0 });
    expect(items.map(({ status }) => status).sort()).toEqual(['cancelled', 'pending']);
  });
}
