/**
 * Runs every check that a finished change must pass: types, format, lint, imports, the small checks, dead code, and all
 * tests; with --quick only the unit tests. Prints a line per step, the progress of the tests, the twenty slowest test
 * files, all failures, and as the last line `N passed, N failed`, where each static step and each test counts as one.
 */
import { availableParallelism } from 'node:os';
import { installChromium } from './chromium.mjs';
import { runStep } from './run-step.mjs';
import { runTests } from './run-tests.mjs';
import { installSshd } from './sshd.mjs';
import { staticSteps } from './static-steps.mjs';

/**
 * The tests next to the sources, except those that start processes or measure a database: less than a minute in total.
 */
const unitTests = [
  ...['packages/core', 'packages/contract', 'packages/components', 'packages/server/src'],
  ...['--exclude=packages/server/src/store/**', '--exclude=packages/server/src/sandbox/**'],
];

/** @param {{ passed: boolean, name: string, seconds: string, note?: string }} line */
function print({ passed, name, seconds, note = '' }) {
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(20)} ${seconds.padStart(6)} s  ${note}\n`);
}

/** Runs the static steps, one per core at a time. @returns {Promise<string[]>} the output of those that failed */
async function runStaticSteps() {
  const waiting = [...staticSteps];
  /** @type {string[]} */
  const failures = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const { passed, output, seconds } = await runStep(step);
      print({ passed, name: step.name, seconds, note: passed ? '' : 'see below' });
      if (!passed) failures.push(`---- ${step.name}\n${output.trim()}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return failures;
}

const staticFailures = await runStaticSteps();
const isQuick = process.argv.includes('--quick');
const say = (/** @type {string} */ line) => void process.stdout.write(`     ${line}\n`);
const noBrowser = isQuick ? null : installChromium(say);
if (noBrowser !== null) process.stdout.write(`skip journeys in the browser: ${noBrowser}\n`);
const noSshd = isQuick ? null : installSshd(say);
if (noSshd !== null) process.stdout.write(`skip tests of git over ssh: ${noSshd}\n`);
// The tests come after the static steps: both use every core.
const tests = await runTests(isQuick ? unitTests : [], say);
const note = `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`;
print({ passed: tests.failed === 0, name: 'tests', seconds: tests.seconds, note });
process.stdout.write(`\nThe slowest test files:\n${tests.slowest.join('\n')}\n`);
for (const failure of [...staticFailures, ...tests.failures]) process.stdout.write(`\n${failure}\n`);

const failed = staticFailures.length + tests.failed;
const passed = staticSteps.length - staticFailures.length + tests.passed;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
