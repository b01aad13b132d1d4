import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStep } from './run-step.mjs';
import { StallWatch } from './stall-watch.mjs';
import { countTests, namesOfFailed, slowestFiles } from './test-results.mjs';

/** @typedef {import('./stall-watch.mjs').Progress} Progress */
/**
 * @typedef {{ passed: number, failed: number, skipped: number, seconds: string, failures: string[], slowest: string[] }}
 * TestRun
 */

/** Twice the limit of a test and of a hook: after that time, the limits did not end what hangs. */
const stallMs = 600_000;

const reporter = join(import.meta.dirname, 'test-progress.mjs');

/**
 * Runs the tests with vitest and counts them. If no test ends for a long time, it ends vitest and all its workers, and
 * the running files count as failed.
 * @param {string[]} selection files, folders and options of vitest; all tests if empty
 * @param {(line: string) => void} onLine receives the lines of progress
 * @param {number} [limitMs] @returns {Promise<TestRun>}
 */
export async function runTests(selection, onLine, limitMs = stallMs) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
  const results = join(folder, 'results.json');
  /** @type {Progress | null} */
  let stalled = null;
  const stop = new AbortController();
  const watch = new StallWatch(limitMs, (last) => {
    stalled = last;
    stop.abort();
  });
  try {
    const reporters = ['default', reporter, 'json'].map((name) => `--reporter=${name}`);
    const args = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, `--outputFile=${results}`, ...selection];
    const step = await runStep(
      { name: 'tests', args },
      {
        signal: stop.signal,
        onMessage: ({ line, progress }) => {
          if (line) onLine(line);
          if (progress) watch.saw(progress);
        },
      },
    );
    if (stalled !== null) return stalledRun(stalled, step.seconds, limitMs);
    const counts = countTests(results, step.passed);
    // The names come first: the whole output has thousands of lines, and a reader may see only its beginning.
    const failures = counts.failed === 0 ? [] : [`---- tests\n${namesOfFailed(results)}\n\n${step.output.trim()}`];
    return { ...counts, seconds: step.seconds, failures, slowest: slowestFiles(results) };
  } finally {
    watch.stop();
    rmSync(folder, { recursive: true });
  }
}

/** @param {Progress} last @param {string} seconds @param {number} limitMs @returns {TestRun} */
function stalledRun({ passed, failed, running }, seconds, limitMs) {
  const failures = [`---- tests\nNo test ended for ${limitMs / 1000} s. Running: ${running.join(', ') || 'no file'}.`];
  return { passed, failed: failed + Math.max(1, running.length), skipped: 0, seconds, failures, slowest: [] };
}
