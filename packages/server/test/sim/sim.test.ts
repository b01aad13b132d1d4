import { afterAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { crashPoints, mishaps } from './crash-points.ts';
import { runEveryMishap, runSeeds, type SeedsReport } from './seeds.ts';

const seeds = Number(process.env.SIM_SEEDS ?? 2000);
/** Those that meet every mishap at every call: some seconds. */
const thorough = [3, 7, 12, 23];

const store = openSqliteStore({ path: ':memory:' });
afterAll(() => store.close());

/** What names the seed that `npm run test:sim -- <seed>` plays again. */
const words = ({ faults }: SeedsReport): readonly string[] =>
  faults.map(({ seed, plan, faults: lines, sketch }) => [`seed ${seed}, ${plan}:`, ...lines, sketch].join('\n'));

describe('the service in a simulated world', () => {
  const happened = new Set<string>();

  test.each([seeds])(
    'ends %s random runs as the plain interpreter says, whatever happens to it meanwhile',
    async (count) => {
      const report = await runSeeds(store, 1, count);
      for (const name of report.happened.keys()) happened.add(name);
      expect(words(report)).toEqual([]);
    },
    // Five minutes for 2,000 seeds are the limit; half a minute is usual.
    Math.max(60_000, seeds * 150),
  );

  test.each(thorough)('ends seed %s so with every mishap at every call of the store', async (seed) => {
    const report = await runEveryMishap(store, seed);
    for (const name of report.happened.keys()) happened.add(name);
    expect(words(report)).toEqual([]);
  }, 60_000);

  test('has met every mishap at every crash point', () => {
    const all = crashPoints.flatMap((point) => mishaps.map((mishap) => `${point}: ${mishap}`));
    expect(all.filter((name) => !happened.has(name))).toEqual([]);
  });

  test('gives the same for the same seed', async () => {
    const [one, other] = [await runSeeds(store, 77, 3), await runSeeds(store, 77, 3)];
    expect([...other.happened]).toEqual([...one.happened]);
    expect(other.steps).toBe(one.steps);
  });
});
