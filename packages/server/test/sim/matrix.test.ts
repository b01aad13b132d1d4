import type { Json } from '@millrace/core';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Mishap, MishapPlan } from './crash-points.ts';
import { type SimReport, simulate } from './simulation.ts';
import { type Place, places, type Sketch, sketchedWorld } from './sketched-world.ts';

// Some journals are as large as this, so that runs are resumed in both ways.
const store = openSqliteStore({ path: ':memory:', largeJournal: 700 });
afterAll(() => store.close());

/** A crash just before or just after each call of the store. */
const crashes: readonly Mishap[] = ['dies before', 'dies after'];

/** Simulates a sketch without mishaps, and again with a crash at each call; returns all reports. */
async function everyRun(sketch: Sketch, place: Place): Promise<readonly SimReport[]> {
  const world = sketchedWorld(sketch, place);
  const run = (plan: MishapPlan) => simulate(store, { world, seed: 1, plan });
  const calm = await run(new Map());
  const reports = [calm];
  for (const mishap of crashes) {
    for (let call = 1; call <= calm.calls.length; call += 1) reports.push(await run(new Map([[call, mishap]])));
  }
  return reports;
}

/** How a node ended in each frame of its place, or that it did not run. */
function endsOf({ journal: own, children }: SimReport, nodeId: string, place: Place): readonly string[] {
  const [child, ...others] = children;
  if (others.length > 0) return ['in more than one run'];
  const journal = (places[place].isChild ? child : own) ?? [];
  return places[place].frames.map((frame) => {
    const facts = journal.filter((fact) => 'frame' in fact && fact.frame === frame && fact.nodeId === nodeId);
    const last = facts.at(-1);
    if (last === undefined) return 'nothing';
    return last.kind === 'step_succeeded' ? `succeeded at ${last.attempt}` : last.kind;
  });
}

const joins = { all: 'all', any: 'any', 'two of them': { count: 2 } } as const satisfies Record<string, Json>;

/** The predecessors of the joining node `m`: two branches, of which some are taken. */
const shapes: Readonly<Record<string, Sketch>> = {
  'both branches': { nodes: { a: ['step'], b: ['keyed'] }, edges: 'a -> m\nb -> m' },
  'one branch of a switch': {
    nodes: { s: ['switch'], a: ['step'], b: ['step'] },
    edges: 's -[x]-> a\ns -[y]-> b\na -> m\nb -> m',
  },
  'no branch of a switch': {
    nodes: { s: ['switch'], a: ['step'], b: ['step'] },
    edges: 's -[x]-> a\ns -[y]-> b\na -> m\nb -> m',
    route: 'z',
  },
  'a long dead branch and a short one': {
    nodes: { s: ['switch'], a: ['step'], a2: ['keyed'], a3: ['step'], b: ['keyed'] },
    edges: 's -[y]-> a\na -> a2\na2 -> a3\na3 -> m\ns -[x]-> b\nb -> m',
  },
  'a branch that failed and one that did not': {
    nodes: { a: ['keyed', { retry: { max_attempts: 1 } }], h: ['step'], b: ['step'] },
    edges: 'a -error-> h\na -> m\nb -> m',
    failures: { a: 9 },
  },
  'an error edge and its twin': {
    nodes: { a: ['step', { retry: { max_attempts: 2, delay_ms: 0 } }], h: ['keyed'] },
    edges: 'a -error-> h\na -> m\nh -> m',
    failures: { a: 9 },
  },
};

/** Whether `m` runs. */
const joined: Readonly<Record<keyof typeof shapes, Readonly<Record<keyof typeof joins, boolean>>>> = {
  'both branches': { all: true, any: true, 'two of them': true },
  'one branch of a switch': { all: true, any: true, 'two of them': false },
  'no branch of a switch': { all: false, any: false, 'two of them': false },
  'a long dead branch and a short one': { all: true, any: true, 'two of them': false },
  'a branch that failed and one that did not': { all: true, any: true, 'two of them': false },
  'an error edge and its twin': { all: true, any: true, 'two of them': false },
};

const placeNames = Object.keys(places) as Place[];

describe.each(Object.entries(shapes))('after %s', (shape, sketch) => {
  const rules = Object.entries(joins).flatMap(([rule, join]) => placeNames.map((place) => ({ rule, join, place })));

  test.each(rules)('a node that waits for $rule, $place, before and after a crash', async ({ rule, join, place }) => {
    const nodes = { ...sketch.nodes, m: ['gather', { join }] } as const;
    for (const report of await everyRun({ ...sketch, nodes }, place)) {
      expect([...report.happened, ...report.violations]).toEqual(report.happened);
      const runs = joined[shape]?.[rule as keyof typeof joins];
      const end = runs ? 'succeeded at 1' : 'step_skipped';
      expect(endsOf(report, 'm', place)).toEqual(places[place].frames.map(() => end));
    }
  });
});

const policies: Readonly<Record<string, Sketch & { readonly ends: Readonly<Record<string, string>> }>> = {
  'is retried, and then succeeds': {
    nodes: { f: ['keyed', { retry: { max_attempts: 2, delay_ms: 5 } }], next: ['step'] },
    edges: 'f -> next',
    failures: { f: 1 },
    ends: { f: 'succeeded at 2', next: 'succeeded at 1' },
  },
  'continues with its error as its output': {
    nodes: { f: ['keyed', { retry: { max_attempts: 2, delay_ms: 0 }, on_error: 'continue' }], next: ['step'] },
    edges: 'f -> next',
    failures: { f: 9 },
    ends: { f: 'step_failed', next: 'succeeded at 1' },
  },
  'takes its error edge': {
    nodes: { f: ['step', { retry: { max_attempts: 1 }, on_error: 'route' }], next: ['step'], h: ['keyed'] },
    edges: 'f -> next\nf -error-> h',
    failures: { f: 9 },
    ends: { f: 'step_failed', next: 'step_skipped', h: 'succeeded at 1' },
  },
  'ends its run or iteration': {
    nodes: { f: ['keyed', { retry: { max_attempts: 1 } }], next: ['step'] },
    edges: 'f -> next',
    failures: { f: 9 },
    ends: { next: 'nothing' },
  },
  'ends its run or iteration if on_error is stop, even with an error edge': {
    nodes: { f: ['step', { retry: { max_attempts: 1 }, on_error: 'stop' }], next: ['step'], h: ['step'] },
    edges: 'f -> next\nf -error-> h',
    failures: { f: 9 },
    ends: { next: 'nothing', h: 'nothing' },
  },
};

describe.each(Object.entries(policies))('a node that fails %s', (name, { ends, ...sketch }) => {
  test.each(placeNames)('%s, before and after a crash', async (place) => {
    const goesOn = !name.startsWith('ends') || place === 'in a loop that continues after a failed item';
    for (const report of await everyRun(sketch, place)) {
      expect([...report.happened, ...report.violations]).toEqual(report.happened);
      expect(report.journal.at(-1)).toMatchObject({ status: goesOn ? 'completed' : 'failed' });
      for (const [nodeId, end] of Object.entries(ends)) {
        expect(endsOf(report, nodeId, place)).toEqual(places[place].frames.map(() => end));
      }
    }
  });
});
