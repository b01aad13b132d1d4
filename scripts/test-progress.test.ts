import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runStep } from './run-step.mjs';

const root = join(import.meta.dirname, '..');

test('a failed test is reported immediately, with its file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-progress-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const text =
    "import { test } from 'vitest';\ntest('good', () => {});\ntest('bad', () => { throw new Error('its words'); });\n";
  writeFileSync(join(folder, 'a.test.ts'), text);
  const reporter = join(root, 'scripts/test-progress.mjs');
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, `--reporter=${reporter}`];
  const lines: string[] = [];
  const onMessage = ({ line }: { line?: string }) => {
    if (line) lines.push(line);
  };
  const { passed } = await runStep({ name: 'tests', args }, { onMessage });
  expect([passed, lines]).toEqual([false, ['FAIL a.test.ts: bad']]);
});
