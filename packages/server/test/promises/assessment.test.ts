import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { assessmentOf, type TestReport } from './assessment.ts';
import type { ServicePromise } from './promise.ts';

const size = { figure: 'a figure', environment: {} };
const promise: ServicePromise = { id: 'P1', text: 'It works.', tests: ['a.test.ts'], ci: size, release: size };
const figures = [
  { id: 'P1', figure: '5 of 5' },
  { id: 'P2', figure: 'of another' },
];

function report(...statuses: readonly string[]): TestReport {
  const assertionResults = statuses.map((status, at) => ({
    status,
    fullName: `test ${at}`,
    failureMessages: status === 'failed' ? ['Error: 4 is not 5\n  at line 1'] : null,
  }));
  const status = statuses.includes('failed') ? 'failed' : 'passed';
  return {
    testResults: [
      { name: resolve('a.test.ts'), status, message: '', startTime: 1000, endTime: 3500, assertionResults },
    ],
  };
}

test('a promise is kept if its tests passed, with the figures that they recorded', () => {
  expect(assessmentOf(promise, report('passed', 'passed'), figures)).toEqual({
    promise,
    kept: true,
    reached: '5 of 5',
    seconds: 2.5,
  });
});

test('a promise without recorded figures shows the number of its tests', () => {
  expect(assessmentOf(promise, report('passed', 'passed'), [])).toMatchObject({
    kept: true,
    reached: '2 tests, all passed',
  });
});

test.each([
  ['one of its tests failed', report('passed', 'failed'), 'failed: test 1: Error: 4 is not 5'],
  ['all of its tests were skipped', report('skipped'), 'skipped: test 0'],
  ['its file has no test', report(), 'no test ran'],
  ['its file did not run', { testResults: [] }, 'a test file did not run'],
])('a promise is not kept if %s', (_, given, reached) => {
  expect(assessmentOf(promise, given, figures)).toMatchObject({ kept: false, reached });
});

test('a promise with a title is judged by the tests with that title', () => {
  const one = { ...promise, only: 'test 0' };
  expect(assessmentOf(one, report('passed', 'failed'), []).kept).toBe(true);
  expect(assessmentOf({ ...promise, only: 'test 1' }, report('passed', 'failed'), []).kept).toBe(false);
});
