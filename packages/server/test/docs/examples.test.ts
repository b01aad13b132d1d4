import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess, testKey } from '../durable/service-process.ts';

/** Complete commands: a line that ends in a backslash, or inside quotes, continues on the next line. */
function commandsOf(file: string): string[] {
  const page = readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  return blocks
    .flatMap((block) => block.split(/\n(?=curl )/))
    .map((command) => command.trim())
    .filter((command) => command.startsWith('curl '));
}

const commands = commandsOf('first-workflow.md');

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-docs-'));
let service: ServiceProcess;

beforeAll(async () => {
  service = await ServiceProcess.start(dataDir);
});

afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function run(command: string): Promise<unknown> {
  const env = { PATH: process.env.PATH, MILLRACE: service.url, KEY: testKey };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
  return JSON.parse(stdout);
}

describe('the page on a first workflow', () => {
  test('has examples', () => {
    expect(commands.length).toBeGreaterThan(10);
  });

  const answers: unknown[] = [];
  test.each(
    commands.map((command, index) => [index + 1, command] as const),
  )('has an example %i that works', async (_, command) => {
    answers.push(await run(command));
  });

  test('shows the actual output', () => {
    expect(answers.at(-5)).toEqual({ valid: true, errors: [], issues: [] });
    expect(answers.at(-4)).toBe('Order of 40 goes out at once.');
    expect(answers.at(-3)).toEqual({ path: 'by hand', total: 2500 });
    expect(answers.at(-2)).toEqual(answers.at(-3));
    expect(answers.at(-1)).toMatchObject({ total: 2 });
  });
});

function isAboutNoCredential(issues: readonly { code: string }[]): boolean {
  return issues.length > 0 && issues.every(({ code }) => code !== 'unusable_credential');
}

describe('the page on HTTP requests', () => {
  test('has examples that work', async () => {
    const answers: unknown[] = [];
    for (const command of commandsOf('http-requests.md')) answers.push(await run(command));
    expect(answers.slice(0, 4)).toMatchObject(
      ['a-to****vice', '****', 'a-ke****mail', 'a-ke****maps'].map((mask) => ({
        detail: { config: expect.toSatisfy((config: object) => Object.values(config).includes(mask)) },
      })),
    );
    expect(answers[5]).toMatchObject({ node_id: 'fetch', config: { credential_id: 1 } });
    expect(answers[6]).toMatchObject({ issues: expect.toSatisfy(isAboutNoCredential) });
    expect(answers[7]).toMatchObject({ node_id: 'all', config: { extra_config: { pagination: { by: 'cursor' } } } });
  });
});

describe('the page on publishing', () => {
  test('has examples that work, with the output that it shows', async () => {
    const answers: unknown[] = [];
    for (const command of commandsOf('publishing.md')) answers.push(await run(command));
    const numbers = [
      { version: 2, published_version: null },
      { version: 2, published_version: 2, has_unpublished_changes: false },
      { node_id: 'greet' },
      { version: 3, published_version: 2, has_unpublished_changes: true },
      { status: 'completed' },
      { published_version: 3 },
      { published_version: 2, has_unpublished_changes: true },
      {
        items: [{ version: 3 }, { publication: { note: 'Good morning is wrong after noon.' } }, { publication: null }],
      },
      { version: 3, published_version: null, has_unpublished_changes: false },
    ];
    expect(answers).toMatchObject(numbers);
    expect(answers).toHaveLength(numbers.length);
  });
});

describe('the page on webhooks', () => {
  test('has examples that work', async () => {
    const answers: unknown[] = [];
    for (const command of commandsOf('webhooks.md')) answers.push(await run(command));
    const file = { name: 'note.txt', content_type: 'text/plain', size: 6, base64: 'SGVsbG8K' };
    expect(answers).toMatchObject([
      { slug: 'inbox' },
      { type: 'application/x-www-form-urlencoded', payload: { name: 'Ada', tag: ['a', 'b'] } },
      { type: 'multipart/form-data', payload: { name: 'Ada', note: file } },
      { type: 'text/xml', payload: '<a>1</a>' },
      { detail: { config: { username: 'shop', password: '****' } } },
      { slug: 'shop' },
      { status: 'accepted' },
      { detail: 'This webhook does not accept POST: it accepts PUT.' },
      { type: 'application/json', payload: { total: 40 } },
      { type: 'application/json', payload: { total: 40 } },
    ]);
  });
});

describe('the page on schedules', () => {
  test('has examples that work', async () => {
    const jobs: unknown[] = [];
    for (const command of commandsOf('schedules.md')) jobs.push(await run(command));
    const job = (status: string) => ({ schedule_job: { status } });
    expect(jobs.slice(1)).toMatchObject([job('active'), job('active'), job('paused'), job('active')]);
  });
});
