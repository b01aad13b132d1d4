import { resolve } from 'node:path';
import type { ReachedFigure } from '../support/reached.ts';
import type { ServicePromise } from './promise.ts';

/** The part of the JSON report of vitest that is read here. */
export interface TestReport {
  readonly testResults: readonly {
    /** The absolute path of the file. */
    readonly name: string;
    /** Of the file as a whole: `failed` also if it could not be loaded. */
    readonly status: string;
    readonly message: string;
    /** Milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** What the tests of a promise showed. */
export interface Assessment {
  readonly promise: ServicePromise;
  readonly kept: boolean;
  /** The figure that was reached, or the reason why the promise does not count as kept. */
  readonly reached: string;
  readonly seconds: number;
}

/** Assesses a promise by the report of its run and the figures that its tests recorded. */
export function assessmentOf(
  promise: ServicePromise,
  report: TestReport,
  figures: readonly ReachedFigure[],
): Assessment {
  const wanted = promise.tests.map((path) => resolve(path));
  const files = report.testResults.filter(({ name }) => wanted.includes(name));
  const seconds = files.reduce((sum, { startTime, endTime }) => sum + Math.max(0, endTime - startTime), 0) / 1000;
  const problem = problemOf(promise, files);
  if (problem !== null) return { promise, kept: false, reached: problem, seconds };
  const own = figures.filter(({ id }) => id === promise.id).map(({ figure }) => figure);
  const count = ranIn(promise, files).length;
  return { promise, kept: true, reached: own.join('; ') || `${count} tests, all passed`, seconds };
}

function problemOf(promise: ServicePromise, files: TestReport['testResults']): string | null {
  if (files.length < promise.tests.length) return 'a test file did not run';
  const tests = ranIn(promise, files);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed !== undefined) return `failed: ${failed.fullName.trim()}: ${firstLineOf(failed.failureMessages?.[0])}`;
  const broken = files.find(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  if (broken !== undefined) return `failed: ${firstLineOf(broken.message)}`;
  const skipped = tests.find(({ status }) => status !== 'passed');
  if (skipped !== undefined && tests.every(({ status }) => status !== 'passed'))
    return `skipped: ${skipped.fullName.trim()}`;
  return tests.length === 0 ? 'no test ran' : null;
}

/** The tests that belong to the promise: those of its files, or those among them with the title. */
function ranIn({ only }: ServicePromise, files: TestReport['testResults']) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  return only === undefined ? tests : tests.filter(({ fullName }) => fullName.includes(only));
}

function firstLineOf(text = 'no message'): string {
  return text.split('\n')[0] ?? '';
}
