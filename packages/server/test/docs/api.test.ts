import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess, testKey } from '../durable/service-process.ts';

/** An example of the page. */
interface Example {
  /** `POST /api/v1/workflows/`, its heading. */
  readonly operation: string;
  readonly code: string;
  /** The variables that it uses. */
  readonly needs: readonly string[];
  /** The variables that its response sets, each with its field. */
  readonly gives: readonly { readonly variable: string; readonly field: string }[];
}

/** Statuses that an example may have besides a success, each with the reason. */
const excused = new Map([
  // The key of the examples is not a key of their user.
  ['DELETE /api/v1/users/{username}/keys/{key_id}/', 404],
  // The execution has ended.
  ['POST /api/v1/executions/{execution_id}/cancel/', 409],
  // The execution was not recorded.
  ['GET /api/v1/executions/{execution_id}/cassette/', 409],
  // The execution is not waiting.
  ['POST /api/v1/executions/{execution_id}/resume/', 409],
  // The token is invalid.
  ...['POST /api/v1/callbacks/{token}', 'GET /api/v1/callbacks/{token}', 'POST /api/v1/answers/{token}'].map(
    (operation): [string, number] => [operation, 404],
  ),
  // Only the platform has the secret of a bot.
  ['POST /api/v1/bots/{bot_id}/updates', 401],
  // The trigger accepts POST only.
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method): [string, number] => [
    `${method} /api/v1/webhooks/{workflow_slug}`,
    405,
  ]),
  // The execution has not failed.
  ['POST /api/v1/executions/{execution_id}/retry/', 409],
  // The execution does not wait for a person.
  ['POST /api/v1/executions/{execution_id}/resume/', 409],
  // The node of the page is not a schedule; docs/schedules.md has one.
  ...['start', 'pause', 'stop'].map((verb): [string, number] => [
    `POST /api/v1/workflows/{slug}/nodes/{node_id}/schedule/${verb}/`,
    400,
  ]),
  // The workflow of the examples has no chat trigger, and is not a default workflow.
  ['POST /api/v1/workflows/{slug}/chat/', 422],
  ['POST /api/v1/chat/', 404],
]);

const page = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
const examples = page
  .split(/^### (?=[A-Z]+ \/)/m)
  .slice(1)
  .flatMap((section) =>
    [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => exampleOf(section, code)),
  );

function exampleOf(section: string, code: string): Example {
  const gives = [...code.matchAll(/^# \$(\w+): "(\w+)"/gm)].map(([, variable = '', field = '']) => ({
    variable,
    field,
  }));
  const request = code.replaceAll(/^#.*$/gm, '');
  const named = [...request.matchAll(/\$([A-Z_]+)/g)].map(([, variable = '']) => variable);
  const needs = named.filter((variable) => variable !== 'MILLRACE' && variable !== 'KEY');
  return { operation: section.slice(0, section.indexOf('\n')), code, needs, gives };
}

/** Objects are created before they are used, and used before they are deleted, nested ones first. */
function inOrder(all: readonly Example[]): Example[] {
  const isEnd = ({ operation }: Example): boolean =>
    operation.startsWith('DELETE') || operation.includes('batch-delete') || operation.includes('/trash/{');
  const ends = all.filter(isEnd).reverse();
  const waiting = all.filter((example) => !isEnd(example));
  const known = new Set<string>();
  const ordered: Example[] = [];
  for (let next = nextOf(waiting, known); next !== undefined; next = nextOf(waiting, known)) {
    waiting.splice(waiting.indexOf(next), 1);
    for (const { variable } of next.gives) known.add(variable);
    ordered.push(...freshen(next, all), next);
  }
  return [...ordered, ...waiting, ...inEndOrder(ends)];
}

/** The version changes with every change, so it is read again before each example that uses it. */
function freshen({ needs }: Example, all: readonly Example[]): Example[] {
  if (!needs.includes('VERSION')) return [];
  return all.filter(({ gives }) => gives.some(({ variable }) => variable === 'VERSION'));
}

/** A deleted workflow is restored, and deleted again before it is deleted permanently. */
function inEndOrder(ends: readonly Example[]): Example[] {
  const depth = ({ operation }: Example): number => operation.split('/').length;
  const isTrash = ({ operation }: Example): boolean => operation.includes('/trash/{');
  const deletion = ends.filter(({ operation }) => operation === 'DELETE /api/v1/workflows/{slug}/');
  const others = ends.filter((example) => !isTrash(example) && !deletion.includes(example));
  const trash = ends.filter(isTrash).sort((a, b) => depth(b) - depth(a));
  return [
    ...others.sort((a, b) => depth(b) - depth(a)),
    ...deletion,
    ...trash.slice(0, 1),
    ...deletion,
    ...trash.slice(1),
  ];
}

/** An example that sets a variable comes first, because later ones may need it without naming it. */
function nextOf(waiting: readonly Example[], known: ReadonlySet<string>): Example | undefined {
  const ready = waiting.filter(({ needs }) => needs.every((variable) => known.has(variable)));
  return ready.find(({ gives }) => gives.length > 0) ?? ready[0];
}

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-api-'));
let service: ServiceProcess;

beforeAll(async () => {
  service = await ServiceProcess.start(dataDir);
});

afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

// A waiting step has a URL with a token; none waits here.
const variables: Record<string, string> = { TOKEN: 'none-of-ours', BOT_ID: '1234' };

/** Runs an example as a reader would, and stores the variables from its response. */
async function run({ code, gives }: Example): Promise<{ status: number; body: string }> {
  const env = { PATH: process.env.PATH, MILLRACE: service.url, KEY: testKey, ...variables };
  const script = `curl() { command curl -w '\\n%{http_code}' "$@"; }\n${code}`;
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env });
  const cut = stdout.lastIndexOf('\n');
  const body = stdout.slice(0, cut);
  for (const { variable, field } of gives) variables[variable] = String(JSON.parse(body)[field]);
  return { status: Number(stdout.slice(cut + 1)), body };
}

describe('the page on the API', () => {
  test('has an example of every endpoint', () => {
    const headings = [...page.matchAll(/^### ([A-Z]+ \/.*)$/gm)].map(([, heading]) => heading);
    expect(headings.length).toBeGreaterThan(25);
    const shown = new Set(examples.map(({ operation }) => operation));
    expect(headings.filter((heading = '') => !shown.has(heading))).toEqual([]);
  });

  test.each(
    inOrder(examples).map((example) => [example.operation, example] as const),
  )('has an example of %s that works', async (operation, example) => {
    const { status, body } = await run(example);
    const isExcused = excused.get(operation) === status;
    expect({ works: isExcused || (status >= 200 && status < 300), status, body }).toMatchObject({ works: true });
  });
});
