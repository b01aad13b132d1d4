import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { McpProgram } from '../../src/mcp/programs.ts';
import { McpAgent } from './mcp-agent.ts';

const root = join(import.meta.dirname, '../../../..');

/** A reference server on its standard input and output. */
function server(name: string, args: readonly string[], env: Record<string, string> = {}): McpProgram {
  const program = join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  return { command: process.execPath, args: [program, ...args], env };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-mcp-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const call = (name: string, args: object) => ({ calls: [{ name: `all__${name}`, args }] });

/** The results of the calls of a run, each as text. */
async function resultsOf(program: McpProgram, calls: readonly ReturnType<typeof call>[]): Promise<readonly string[]> {
  const agent = await McpAgent.start(new Map([['reference', program]]));
  const answers = [...calls, { text: 'Done.' }];
  const run = await agent.run({ answers, mcp: { server: 'reference' }, nodeId: 'all' });
  expect(run, run.error_message ?? '').toMatchObject({ status: 'completed', final_output: 'Done.' });
  return run.logs
    .filter(({ node_id }) => node_id === 'all')
    .map(({ output, error }) => (error ?? null) || JSON.stringify((output as { result: unknown }).result));
}

test('the reference server of files reads and writes in its folder only', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'note.txt'), 'Buy milk.');
  const results = await resultsOf(server('filesystem', [folder]), [
    call('read_text_file', { path: join(folder, 'note.txt') }),
    call('write_file', { path: join(folder, 'new.txt'), content: 'Größe' }),
    call('list_directory', { path: folder }),
    call('read_text_file', { path: '/etc/passwd' }),
  ]);
  expect(results).toEqual([
    expect.stringContaining('Buy milk.'),
    expect.stringContaining('new.txt'),
    expect.stringMatching(/new\.txt.*note\.txt/),
    expect.stringContaining('Access denied'),
  ]);
  expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('Größe');
});

test('the reference server of memory keeps a graph between calls', async () => {
  const file = join(newFolder(), 'memory.jsonl');
  const ada = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
  const results = await resultsOf(server('memory', [], { MEMORY_FILE_PATH: file }), [
    call('create_entities', { entities: [ada] }),
    call('add_observations', { observations: [{ entityName: 'Ada', contents: ['likes tea'] }] }),
    call('search_nodes', { query: 'tea' }),
    call('create_entities', { entities: 'none' }),
  ]);
  expect(results.slice(0, 3)).toEqual([
    expect.stringContaining('writes programs'),
    expect.stringContaining('likes tea'),
    expect.stringMatching(/Ada.*likes tea/),
  ]);
  // Invalid arguments make no call.
  expect(results).toHaveLength(3);
});
