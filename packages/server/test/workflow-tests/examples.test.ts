import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { tested } from './tested-files.ts';

const folder = join(import.meta.dirname, '../../../../examples');
const files = Object.fromEntries(
  globSync('*.yaml', { cwd: folder }).map((file) => [basename(file), readFileSync(join(folder, file), 'utf8')]),
);

test('every example workflow passes its own tests', async () => {
  const { code, out, notes } = await tested(files);
  expect(notes).toEqual([]);
  expect(out.filter((line) => line.includes('FAIL'))).toEqual([]);
  expect(code).toBe(0);
});

test('every example workflow has tests, or is used by one that has', () => {
  const tests = Object.entries(files).filter(([name]) => name.endsWith('.test.yaml'));
  const untested = Object.keys(files).filter(
    (name) => !name.endsWith('.test.yaml') && !tests.some(([, text]) => text.includes(name)),
  );
  expect(untested).toEqual([]);
});
