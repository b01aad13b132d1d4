import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '@millrace/components';
import { describe, expect, test } from 'vitest';
import { proseWidth } from './wrapped.ts';

const root = join(import.meta.dirname, '..');

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set(text.match(pattern) ?? [])].sort();
}

test('the README lists exactly the settings that the service reads', () => {
  const setting = /\bMILLRACE_[A-Z_]+/g;
  expect(namesIn(read('README.md'), setting)).toEqual(namesIn(read('packages/server/src/ground/config.ts'), setting));
});

test('the README lists exactly the components of the catalogue', () => {
  const list = /\*\*Nodes:\*\*([^.]*)\./.exec(read('README.md'))?.[1] ?? '';
  const listed = [...list.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...catalogue.keys()].sort());
});

test('the documents use only commands that package.json has', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = namesIn(read('README.md') + read('CONTRIBUTING.md'), /npm (start|test|run [a-z0-9:-]+)/g);
  expect(
    commands.map((command) => command.replace(/npm (run )?/, '')).filter((name) => !Object.hasOwn(scripts, name)),
  ).toEqual([]);
});

describe('every link between the documents has a target', () => {
  test.each(globSync('{*,docs/**/*}.md', { cwd: root }))('%s', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(join(root, dirname(file), target)))).toEqual([]);
  });
});

describe('every reference in a document with references is defined, and has a target', () => {
  const files = globSync('docs/**/*.md', { cwd: root }).filter((file) => /^\[[^\]]+\]: /m.test(read(file)));
  test.each(files)('%s', (file) => {
    const text = read(file).replace(/^ *```[\s\S]*?^ *```$|`[^`\n]*`/gm, '');
    const defined = new Map([...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name, target]) => [name, target]));
    const used = [...text.matchAll(/\[([a-z][a-z0-9.-]*)\](?![([])/g)].map(([, name]) => name);
    expect(used.filter((name) => !defined.has(name))).toEqual([]);
    expect([...defined.values()].filter((target = '') => !existsSync(join(root, dirname(file), target)))).toEqual([]);
  });
});

/** The lines outside of code blocks and tables that are too long, unless they are a single word such as a link. */
function longLinesOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '').split('\n');
  return prose.filter((line) => line.length > proseWidth && !/^ *\|/.test(line) && /\S\s+\S/.test(line));
}

describe(`the prose of every document has lines of at most ${proseWidth} characters`, () => {
  const files = globSync('{*,{docs,packages,examples,.github}/**/*}.md', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  test.each(files)('%s', (file) => expect(longLinesOf(read(file))).toEqual([]));
});
