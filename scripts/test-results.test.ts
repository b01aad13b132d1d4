import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countTests, namesOfFailed, slowestFiles } from './test-results.mjs';

const house = join(import.meta.dirname, '..');
const head = "import { test } from 'vitest';\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-results-'));
  symlinkSync(join(house, 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs these files as separate tests and counts them as `npm run check` does. */
function runTests(files: Record<string, string>): ReturnType<typeof countTests> {
  const { report, status } = runFiles(files);
  return countTests(report, status === 0);
}

function runFiles(files: Record<string, string>): { readonly report: string; readonly status: number | null } {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.ts`), head + text);
  const vitest = join(house, 'node_modules/vitest/vitest.mjs');
  const report = join(folder, 'results.json');
  const args = [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`];
  const { status } = spawnSync(process.execPath, args, { env: { PATH: process.env.PATH } });
  return { report, status };
}

test('passed, failed and skipped tests are counted as such', () => {
  const files = { a: "test('a', () => {});\ntest('b', () => { throw new Error('b'); });\ntest.skip('c', () => {});\n" };
  expect(runTests(files)).toEqual({ passed: 1, failed: 1, skipped: 1 });
});

test('a file that cannot be loaded is a failure in addition to those of the tests', () => {
  const files = { a: "test('a', () => {});\n", b: "throw new Error('not loaded');\n" };
  expect(runTests(files)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('an error outside any test is a failure', () => {
  const files = { a: "test('a', () => {});\nvoid Promise.reject(new Error('nobody waits'));\n" };
  expect(runTests(files)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('a run without a test is a failure', () => {
  expect(runTests({})).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('a run in which every test was skipped is a failure', () => {
  expect(runTests({ a: "test.skip('a', () => {});\n" })).toEqual({ passed: 0, failed: 1, skipped: 1 });
});

test('the slowest files are listed with their seconds, slowest first, at most twenty', () => {
  const file = (index: number) => ({
    name: join(house, `${index}.test.ts`),
    startTime: 1000,
    endTime: 1000 + 100 * index,
  });
  const report = join(folder, 'results.json');
  writeFileSync(report, JSON.stringify({ testResults: Array.from({ length: 25 }, (_, index) => file(index)) }));
  const lines = slowestFiles(report);
  expect(lines).toHaveLength(20);
  expect([lines[0], lines.at(-1)]).toEqual(['    2.4 s  24.test.ts', '    0.5 s  5.test.ts']);
  expect(slowestFiles(join(folder, 'missing.json'))).toEqual([]);
});

test('the report of a run contains the time of each file', () => {
  const { report } = runFiles({ a: "test('a', () => {});\n" });
  expect(slowestFiles(report)).toEqual([expect.stringMatching(/^ +\d+\.\d s {2}.*a\.test\.ts$/)]);
});

test('a run without a report is a failure', () => {
  expect(countTests(join(folder, 'missing.json'), true)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('only failures are listed, with their file and title', () => {
  const files = {
    a: "test('good', () => {});\ntest('bad', () => { throw new Error('its words'); });\n",
    b: "throw new Error('not loaded');\n",
  };
  const names = namesOfFailed(runFiles(files).report);
  expect(names).toMatch(/a\.test\.ts: bad\n +Error: its words/);
  expect(names).toMatch(/b\.test\.ts\n +not loaded/);
  expect(names).not.toContain('good');
  expect(namesOfFailed(join(folder, 'missing.json'))).toBe('The run has no report.');
});
