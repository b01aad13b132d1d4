/**
 * `npm run promises` runs the tests of every promise of `docs/promises.md` at the size of a check of the code, and
 * prints what was promised and reached. `-- --release` runs them at their full size and stores the figures for the page.
 * Ids select promises: `npm run promises -- P3 P11`.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ReachedFigure } from '../support/reached.ts';
import { type Assessment, assessmentOf, type TestReport } from './assessment.ts';
import { promises } from './promises.ts';
import { type Released, releasedFile } from './released.ts';
import { type SizeName, type TestRun, testRunsOf } from './test-run.ts';

const args = process.argv.slice(2);
const size: SizeName = args.includes('--release') ? 'release' : 'ci';
const ids = args.filter((arg) => !arg.startsWith('--'));
const unknown = [
  ...args.filter((arg) => arg.startsWith('--') && arg !== '--release'),
  ...ids.filter((id) => promises.every((promise) => promise.id !== id)),
];
if (unknown.length > 0) {
  console.error(`There is no promise or option ${unknown.join(', ')}. Example: npm run promises -- --release P3 P11`);
  process.exit(2);
}

const wanted = promises.filter(({ id }) => ids.length === 0 || ids.includes(id));
const assessments: Assessment[] = [];
for (const run of testRunsOf(wanted, size)) {
  for (const assessment of await perform(run)) {
    assessments.push(assessment);
    print(assessment);
  }
}
if (size === 'release') keep(assessments);
const failed = assessments.filter(({ kept }) => !kept).length;
console.log(`\n${assessments.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function perform({ promises: own, tests, only, environment }: TestRun): Promise<readonly Assessment[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-promises-'));
  const [results, figures] = [join(folder, 'results.json'), join(folder, 'figures')];
  const options = ['--reporter=json', `--outputFile=${results}`, ...(only === undefined ? [] : ['-t', only])];
  try {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...options, ...tests], {
      env: { ...process.env, ...environment, PROMISES_FILE: figures },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await new Promise((done) => child.on('close', done));
    const report = existsSync(results)
      ? (JSON.parse(readFileSync(results, 'utf8')) as TestReport)
      : { testResults: [] };
    return own.map((promise) => assessmentOf(promise, report, recordedIn(figures)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function recordedIn(file: string): readonly ReachedFigure[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ReachedFigure);
}

function print({ promise, kept, reached, seconds }: Assessment): void {
  console.log(`${kept ? 'ok  ' : 'FAIL'} ${promise.id.padEnd(4)} ${promise.text}`);
  console.log(`          promised: ${promise[size].figure}`);
  console.log(`          reached:  ${reached} (${seconds.toFixed(1)} s)`);
}

/** Stores the figures of the promises that were kept. The page is written from them by `npm run docs`. */
function keep(kept: readonly Assessment[]): void {
  const file = resolve(releasedFile);
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Released) : {};
  const date = new Date().toISOString().slice(0, 10);
  const own = kept.flatMap(({ promise, kept, reached }) => (kept ? [[promise.id, { date, reached }] as const] : []));
  const all = { ...before, ...Object.fromEntries(own) };
  const sorted = promises.flatMap(({ id }) => (all[id] === undefined ? [] : [[id, all[id]]]));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  console.log(`\nThe figures are in ${releasedFile}; \`npm run docs\` writes them to docs/promises.md.`);
}
