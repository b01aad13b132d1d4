import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { testCommand } from '../../src/cli/test.ts';
import { defaultCode } from '../../src/ground/config.ts';
import { createTestRunner } from '../../src/process/virtual-service.ts';

/** The result of `millrace test`, with the paths as they were given. */
export interface Tested {
  readonly code: number;
  readonly out: readonly string[];
  readonly notes: readonly string[];
}

/** Runs `millrace test` in this process on files with these names and texts: those named `….test.yaml`. */
export async function tested(files: Readonly<Record<string, string>>, words = testsIn(files)): Promise<Tested> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tested-'));
  const printed = { out: [] as string[], notes: [] as string[] };
  const plain = (line: string) => line.replaceAll(`${folder}/`, '');
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const code = await testCommand.run(
      { words: words.map((name) => join(folder, name)), options: {} },
      {
        print: (line) => void printed.out.push(plain(line)),
        note: (line) => void printed.notes.push(plain(line)),
        openTestRunner: async () => createTestRunner({ code: defaultCode, logLevel: 'silent' }),
      },
    );
    return { code, ...printed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function testsIn(files: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(files).filter((name) => name.endsWith('.test.yaml'));
}

/** The report lines for one file with one workflow, without its name and without the count. */
export async function report(workflow: string, tests: string): Promise<readonly string[]> {
  const { out, notes } = await tested({ 'flow.yaml': workflow, 'flow.test.yaml': `workflow: flow.yaml\n${tests}` });
  return [...notes, ...out.slice(1, -1).map((line) => line.trimEnd())];
}
