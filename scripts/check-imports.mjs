/**
 * Checks the import rules of .dependency-cruiser.cjs, and that the checker read every module of the tree: a checker
 * that reads nothing reports nothing (as happened with a compiler version that it did not support).
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { report } from './report.mjs';

const root = resolve(process.argv[2] ?? '.');
const config = join(root, '.dependency-cruiser.cjs');
const cruiser = join(import.meta.dirname, '../node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

const expected = globSync('{packages/*/{src,test},scripts,bench,e2e}/**/*.{ts,tsx,mjs}', { cwd: root });
const folders = [...new Set(expected.map((file) => file.split(/[\\/]/)[0] ?? ''))];
// The output for a large tree has several MiB; the default limit of 1 MiB would truncate it.
const cruise = spawnSync(process.execPath, [cruiser, '--config', config, '--output-type', 'json', ...folders], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
});

/** @type {{ forbidden: { name: string, comment: string }[] }} */
const { forbidden } = createRequire(import.meta.url)(join(import.meta.dirname, '../.dependency-cruiser.cjs'));
const reasons = new Map(forbidden.map((rule) => [rule.name, rule.comment]));

/**
 * @typedef {{ rule: { name: string }, from: string, to: string, cycle?: { name: string }[] }} Violation
 * @param {Violation} violation
 */
function describe({ rule, from, to, cycle }) {
  const path = [from, ...(cycle?.map((step) => step.name) ?? [to])].join(' -> ');
  return `${rule.name}: ${path}\n    ${reasons.get(rule.name)}`;
}

/** @returns {string[]} */
function findProblems() {
  if (!cruise.stdout.startsWith('{')) return [`The import checker did not run:\n${cruise.stderr}${cruise.stdout}`];
  /** @type {{ modules: { source: string }[], summary: { violations: Violation[] } }} */
  const { modules, summary } = JSON.parse(cruise.stdout);
  const seen = new Set(modules.map((module) => module.source));
  const unseen = expected.filter((file) => !seen.has(file.replaceAll('\\', '/')));
  return [
    ...summary.violations.map(describe),
    ...unseen.map((file) => `not-seen: ${file} exists, but the import checker did not read it`),
  ];
}

report({ problems: findProblems(), seen: expected.length, fine: 'modules follow the import rules' });
