import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '@millrace/components';
import { describe, expect, test } from 'vitest';

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
  const commands = namesIn(read('README.md') + read('CONTRIBUTING.md'), /npm (start|test|run [a-z:]+)/g);
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
