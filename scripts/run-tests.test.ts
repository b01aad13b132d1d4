import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTests } from './run-tests.mjs';

const root = join(import.meta.dirname, '..');

test('an endless loop in a test ends the run, and its file counts as failed beside the tests that ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-stalled-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const head = "import { test } from 'vitest';\n";
  // vitest starts with the largest file.
  writeFileSync(join(folder, 'good.test.ts'), `${head}test('good', () => {});\n//${' '.repeat(1_000)}\n`);
  writeFileSync(join(folder, 'endless.test.ts'), `${head}test('endless', async () => { for (;;) await null; });\n`);
  const result = await runTests(['--root', folder], () => undefined, 8_000);
  expect(result).toMatchObject({ passed: 1, failed: 1 });
  expect(result.failures).toEqual(['---- tests\nNo test ended for 8 s. Running: endless.']);
});
