/** Checks that no file or folder has a meaningless name, and that no comment postpones or silences a check. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { report } from './report.mjs';

const drawer = /^(utils?|helpers?|common|misc|shared|stuff)(\.|$)|[.-](utils?|helpers?)(\.|$)/i;

const forbiddenText = [
  { pattern: /@ts-(ignore|nocheck)/, instead: 'fix the type' },
  { pattern: /\b(TODO|FIXME)\b/, instead: 'do it, or create an issue' },
  { pattern: /biome-ignore-all/, instead: 'fix the line, or ignore one line with a reason' },
  { pattern: /\b(describe|test|it)\.only\(/, instead: 'the other tests must run too' },
];

const root = resolve(process.argv[2] ?? '.');
const files = globSync('{packages/*/{src,test,public},bench,e2e,scripts}/**/*.*', { cwd: root });

/** @param {string} file @returns {string[]} */
function problemsOf(file) {
  const segment = file.split(/[\\/]/).find((part) => drawer.test(part));
  const problems =
    segment === undefined ? [] : [`${file}: '${segment}' is a meaningless name: use a noun for what it contains`];
  // This folder contains the words themselves.
  if (/^scripts[\\/]/.test(file)) return problems;
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    for (const { pattern, instead } of forbiddenText) {
      const found = pattern.exec(line);
      if (found) problems.push(`${file}:${index + 1} has '${found[0]}': ${instead}`);
    }
  }
  return problems;
}

const problems = files.flatMap(problemsOf);
report({ problems, seen: files.length, fine: 'files have meaningful names and no silenced checks' });
