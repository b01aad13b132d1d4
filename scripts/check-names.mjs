/** Checks that names are meaningful, that no text uses a retired term, and that no comment postpones or silences a check. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { report } from './report.mjs';
import { allowedUses, retiredTerms, wordsOf } from './retired-terms.mjs';

const drawer = /^(utils?|helpers?|common|misc|shared|stuff)(\.|$)|[.-](utils?|helpers?)(\.|$)/i;

const forbiddenText = [
  { pattern: /@ts-(ignore|nocheck)/, instead: 'fix the type' },
  { pattern: /\b(TODO|FIXME)\b/, instead: 'do it, or create an issue' },
  { pattern: /biome-ignore-all/, instead: 'fix the line, or ignore one line with a reason' },
  { pattern: /\b(describe|test|it)\.only\(/, instead: 'the other tests must run too' },
];

const root = resolve(process.argv[2] ?? '.');
const files = globSync(['{packages/*/{src,test,public},bench,e2e,scripts,docs,examples}/**/*.*', '*.md'], {
  cwd: root,
});

/** @param {string} file @returns {string[]} */
function problemsOf(file) {
  const segment = file.split(/[\\/]/).find((part) => drawer.test(part));
  const problems =
    segment === undefined ? [] : [`${file}: '${segment}' is a meaningless name: use a noun for what it contains`];
  // These files contain the rejected texts themselves.
  if (/^scripts[\\/](check-names\.mjs|retired-terms\.mjs|checks\.test\.ts)$/.test(file)) return problems;
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const allowed = allowedUses.filter(({ files }) => files.test(file.replaceAll('\\', '/')));
  return [...problems, ...lines.flatMap((line, index) => problemsOfLine(line, `${file}:${index + 1}`, allowed))];
}

/** @param {string} line @param {string} place @param {{ words: RegExp }[]} allowed @returns {string[]} */
function problemsOfLine(line, place, allowed) {
  // A released migration is never edited, so its comments keep their words.
  const all = /\.sql:\d+$/.test(place) ? '' : wordsOf(line);
  const words = allowed.reduce((rest, use) => rest.replaceAll(new RegExp(use.words, `${use.words.flags}g`), ''), all);
  return [
    ...forbiddenText.map(({ pattern, instead }) => ({ found: pattern.exec(line), instead })),
    ...retiredTerms.map(({ pattern, instead }) => ({ found: pattern.exec(words), instead: `write ${instead}` })),
  ].flatMap(({ found, instead }) => (found === null ? [] : [`${place} has '${found[0]}': ${instead}`]));
}

const problems = files.flatMap(problemsOf);
report({ problems, seen: files.length, fine: 'files have meaningful names and no silenced checks' });
