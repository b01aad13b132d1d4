/**
 * Everything that must hold before a change is finished: format, lint, types, imports, the small checks, dead code
 * and all tests. Prints a line for each step, all that failed, and as its last line `N passed, N failed`,
 * where every static step counts as one and every test as one.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests, namesOfFailed } from './test-results.mjs';

/**
 * @typedef {{ name: string, args: string[], proof?: RegExp }} Step
 * `proof`: what the step says when it came to its end. Biome's launcher exits with 0 when Biome itself was killed.
 */

const tsc = 'node_modules/typescript/bin/tsc';
/** @type {Step[]} The slow ones first, so that the quick ones fill the gaps. */
const staticSteps = [
  { name: 'types: everything', args: [tsc, '--project', '.'] },
  // Alone, each package sees only the types it may: core has neither those of Node nor those of a browser.
  ...globSync('packages/*/tsconfig.json').map((file) => ({
    name: `types: ${file.split(/[\\/]/)[1]}`,
    args: [tsc, '-p', file],
  })),
  {
    name: 'format and lint',
    args: [
      'node_modules/@biomejs/biome/bin/biome',
      'ci',
      '--error-on-warnings',
      '--colors=off',
      '--max-diagnostics=none',
    ],
    proof: /^Checked \d+ files/m,
  },
  { name: 'dead code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  ...globSync('scripts/check-*.mjs').map((file) => ({ name: file.replace(/^.*check-|\.mjs$/g, ''), args: [file] })),
];

/** @param {Step} step @returns {Promise<{ passed: boolean, output: string, seconds: string }>} */
function run({ args, proof }) {
  const started = performance.now();
  // Without colours: what failed is printed later, perhaps into a file.
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  });
  /** @type {Buffer[]} */
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) output.push(Buffer.from(`\nended by ${signal}\n`));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const text = Buffer.concat(output).toString();
      resolve({ passed: code === 0 && (proof?.test(text) ?? true), output: text, seconds });
    });
  });
}

/** @param {{ passed: boolean, name: string, seconds: string, note?: string }} line */
function print({ passed, name, seconds, note = '' }) {
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(20)} ${seconds.padStart(6)} s  ${note}\n`);
}

/** Runs the static steps, as many at a time as there are processors. @returns {Promise<string[]>} what the failed ones said */
async function runStaticSteps() {
  const waiting = [...staticSteps];
  /** @type {string[]} */
  const failures = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const { passed, output, seconds } = await run(step);
      print({ passed, name: step.name, seconds, note: passed ? '' : 'see below' });
      if (!passed) failures.push(`---- ${step.name}\n${output.trim()}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return failures;
}

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
  const results = join(folder, 'results.json');
  try {
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${results}`,
    ];
    const { passed: exitedWell, output, seconds } = await run({ name: 'tests', args });
    const { passed, failed, skipped } = countTests(results, exitedWell);
    const note = `${passed} passed, ${failed} failed, ${skipped} skipped`;
    print({ passed: failed === 0, name: 'tests', seconds, note });
    // The names first: the whole is thousands of lines, of which a reader may be shown the beginning.
    const failures = failed === 0 ? [] : [`---- tests\n${namesOfFailed(results)}\n\n${output.trim()}`];
    return { passed, failed, failures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const staticFailures = await runStaticSteps();
// The tests come after, alone: some of them are about time, and they use both processors themselves.
const tests = await runTests();
for (const failure of [...staticFailures, ...tests.failures]) process.stdout.write(`\n${failure}\n`);

const failed = staticFailures.length + tests.failed;
const passed = staticSteps.length - staticFailures.length + tests.passed;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
