import type { WorldKind } from '@millrace/core/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Action } from './action.ts';
import { crashPoints, mishaps } from './crash-points.ts';
import { runEveryMishap, runSeeds, type SeedsReport } from './seeds.ts';
import { type SimReport, simulate, worldOf } from './simulation.ts';

const seeds = Number(process.env.SIM_SEEDS ?? 1000);
/** The seeds that are run with every mishap at every call, with the action on their runs. They take some seconds. */
const thorough: readonly (readonly [seed: number, worldKind: WorldKind, action: Action])[] = [
  ...[3, 12, 23].map((seed) => [seed, 'stateless', { kind: 'none' }] as const),
  ...[11, 16].map((seed) => [seed, 'stateful', { kind: 'none' }] as const),
  // These runs fail together with the runs that they started.
  ...[8, 150, 369].map((seed) => [seed, 'stateless', { kind: 'retry' }] as const),
  [265, 'stateful', { kind: 'retry' }],
  // Calls of tools that fail, ask a person, and are made only once.
  [299, 'calling', { kind: 'none' }],
  [221, 'calling', { kind: 'retry' }],
  [3, 'stateless', { kind: 'cancel', afterMs: 40 }],
  [
    12,
    'stateless',
    {
      kind: 'set clock',
      sets: [
        { afterMs: 10, byMs: 3_000 },
        { afterMs: 30, byMs: -30_000 },
      ],
    },
  ],
];

// Some journals are as large as this, so that runs are resumed in both ways; and sub-workflows of a cancelled run end in
// later transactions.
const store = openSqliteStore({ path: ':memory:', largeJournal: 700, endedAtOnce: 1 });
afterAll(() => store.close());

/** The violations, with the seed to run again by `npm run test:sim -- <seed>`. */
const words = ({ violations }: SeedsReport): readonly string[] =>
  violations.map(({ seed, plan, violations: lines, sketch }) =>
    [`seed ${seed}, ${plan}:`, ...lines, sketch].join('\n'),
  );

/** The journals of a run and of the runs that it started, without their ids, which are new every time. */
const withoutIds = ({ journal, children }: SimReport): unknown =>
  JSON.parse(JSON.stringify([journal, children]).replaceAll(/01900000-0000-7000-8000-[0-9a-f]{12}/g, 'id'));

describe('the service in a simulated world', () => {
  const happened = new Set<string>();

  async function checkSeeds(first: number, worldKind: WorldKind): Promise<void> {
    const report = await runSeeds(store, { first, count: Math.ceil(seeds / 3), worldKind });
    for (const name of report.happened.keys()) happened.add(name);
    expect(words(report)).toEqual([]);
  }

  // 1,000 seeds usually take 20 s. The rest is for a machine on which 20 other processes compute.
  const timeout = Math.max(300_000, seeds * 900);

  test('ends random runs like the plain interpreter, despite any mishaps', () => checkSeeds(1, 'stateless'), timeout);

  test(
    'changes state exactly once for each committed step, despite any mishaps',
    () => checkSeeds(1 + seeds / 2, 'stateful'),
    timeout,
  );

  test('makes the calls of agents like the interpreter, despite any mishaps', () => checkSeeds(1, 'calling'), timeout);

  // One process cancelled them together with the run that waited for them, and another retried them at once.
  test.each([3810, 6666, 12456])('ends seed %s, which once found an error, like the interpreter', async (seed) => {
    expect(words(await runSeeds(store, { first: seed, count: 1, worldKind: 'stateless' }))).toEqual([]);
  });

  test.each(
    thorough,
  )('ends seed %s (%s) like the interpreter with every mishap at every call of the store: %j', async (seed, worldKind, action) => {
    const report = await runEveryMishap(store, seed, { action, worldKind });
    for (const name of report.happened.keys()) happened.add(name);
    expect(words(report)).toEqual([]);
  });

  test('has had every mishap at every crash point', () => {
    const all = [...crashPoints, 'executions.retry'].flatMap((point) => mishaps.map((mishap) => `${point}: ${mishap}`));
    expect(all.filter((name) => !happened.has(name))).toEqual([]);
  });

  test.each([5, 77, 1234])('writes the same journals with the same times for the same seed: %s', async (seed) => {
    const run = () => simulate(store, { world: worldOf(seed, { kind: 'none' }, 'stateful'), seed, plan: new Map() });
    const [one, other] = [await run(), await run()];
    expect(one.journal.length).toBeGreaterThan(2);
    expect(withoutIds(other)).toEqual(withoutIds(one));
  });

  test('has the same result for the same seed', async () => {
    const three = { first: 77, count: 3, worldKind: 'stateful' } as const;
    const [one, other] = [await runSeeds(store, three), await runSeeds(store, three)];
    expect([...other.happened]).toEqual([...one.happened]);
    expect(other.steps).toBe(one.steps);
  });
});
