import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess, testKey } from '../durable/service-process.ts';

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/examples.md'), 'utf8');

/** Printed between blocks, so that the output of each block can be separated. */
const separator = '<<end of block>>';

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The page by its second-level headings; the part before the first one prepares all sections. */
const [preface = '', ...sections] = page.split(/^## /m);
const blocksOf = (section: string): readonly Block[] =>
  [...section.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, language = '', text = '']) => ({ language, text }));
const functions = blocksOf(preface).at(-1)?.text ?? '';

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-examples-'));
let service: ServiceProcess;
let others: ChildProcess;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  service = await ServiceProcess.start(dataDir);
  others = spawn(process.execPath, [join(root, 'examples/services.mjs'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (others.stdout === null) throw new Error('the example services print no address');
  const [address] = (await once(others.stdout, 'data')) as [Buffer];
  env = { PATH: process.env.PATH, MILLRACE: service.url, KEY: testKey, SERVICES: address.toString().trim() };
});

afterAll(async () => {
  others.kill();
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs a section's commands in one shell; returns the output of each block. */
async function run(section: string): Promise<readonly string[]> {
  const commands = blocksOf(section).filter(({ language }) => language === 'sh');
  const script = [functions, ...commands.map(({ text }) => `${text}\necho '${separator}'`)].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], { cwd: root, env });
  return stdout.split(separator).slice(0, -1);
}

/** The JSON value that ends the output of a block; lines before it are those of its earlier commands. */
function lastValue(output: string): unknown {
  const lines = output.trim().split('\n');
  for (let count = 1; count <= lines.length; count++) {
    try {
      return JSON.parse(lines.slice(-count).join('\n'));
    } catch {
      // The value may begin on an earlier line.
    }
  }
  throw new Error(`no JSON at the end of: ${output}`);
}

describe('the page of example workflows', () => {
  test('has nine examples', () => expect(sections).toHaveLength(9));

  test.each(
    sections.map((section) => [section.split('\n', 1)[0] ?? '', section] as const),
  )('works as described: %s', async (_title, section) => {
    const printed = await run(section);
    let block = -1;
    for (const { language, text } of blocksOf(section)) {
      if (language === 'sh') block += 1;
      else expect(lastValue(printed[block] ?? '')).toEqual(JSON.parse(text));
    }
  });
});
