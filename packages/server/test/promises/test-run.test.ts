import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { promises } from './promises.ts';
import { testRunsOf } from './test-run.ts';

test('the ids are numbered without a gap, and every test file exists', () => {
  expect(promises.map(({ id }) => id)).toEqual(promises.map((_, at) => `P${at + 1}`));
  expect(promises.flatMap(({ tests }) => tests).filter((path) => !existsSync(path))).toEqual([]);
});

test.each(['ci', 'release'] as const)('at the size %s every promise is in one run, with all its tests', (size) => {
  const runs = testRunsOf(promises, size);
  expect(
    runs
      .flatMap((run) => run.promises)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(promises.map(({ id }) => id).sort());
  for (const run of runs) {
    for (const { tests, only, ...promise } of run.promises) {
      expect(run.tests).toEqual(expect.arrayContaining([...tests]));
      expect(run.environment).toEqual(promise[size].environment);
      if (only === undefined) expect(run.only).toBeUndefined();
      else expect(run.only).toContain(only);
    }
  }
});

test('at the size of a release only promises with the same tests share a run', () => {
  const shared = testRunsOf(promises, 'release').filter((run) => run.promises.length > 1);
  expect(shared.map((run) => run.promises.map(({ id }) => id))).toEqual([['P12', 'P13']]);
});
