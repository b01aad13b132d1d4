import type { ServicePromise } from './promise.ts';

export type SizeName = 'ci' | 'release';

/** One run of vitest: the promises whose tests can run together. */
export interface TestRun {
  readonly promises: readonly ServicePromise[];
  readonly tests: readonly string[];
  /** Selects tests by their titles, as a regular expression; absent if all tests of the files run. */
  readonly only?: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The runs for some promises. At the size of CI the promises share few runs, which is quicker. Before a release each has
 * a run of its own, because figures in milliseconds are wrong beside other tests.
 */
export function testRunsOf(promises: readonly ServicePromise[], size: SizeName): readonly TestRun[] {
  const groups = new Map<string, ServicePromise[]>();
  for (const promise of promises) {
    const alone = size === 'release' ? [promise.tests, promise.only ?? null] : [promise.only !== undefined];
    const key = JSON.stringify([promise[size].environment, alone]);
    groups.set(key, [...(groups.get(key) ?? []), promise]);
  }
  return [...groups.values()].map((group) => runOf(group, size));
}

function runOf(promises: readonly ServicePromise[], size: SizeName): TestRun {
  const titles = promises.flatMap(({ only }) => (only === undefined ? [] : [only]));
  return {
    promises,
    tests: [...new Set(promises.flatMap(({ tests }) => tests))],
    ...(titles.length > 0 && { only: titles.join('|') }),
    environment: promises[0]?.[size].environment ?? {},
  };
}
