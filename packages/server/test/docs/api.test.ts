import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess, testKey } from '../durable/service-process.ts';

/** One example of the page. */
interface Example {
  /** `POST /api/v1/workflows/`, the heading that it stands under. */
  readonly operation: string;
  readonly code: string;
  /** The variables it names. */
  readonly needs: readonly string[];
  /** The variables that its answer gives, and in which field. */
  readonly gives: readonly { readonly variable: string; readonly field: string }[];
}

/** What an example may answer besides a success: why is above it. */
const excused = new Map([
  // The execution has ended.
  ['POST /api/v1/executions/{execution_id}/cancel/', 409],
  // Nothing waits in the execution.
  ['POST /api/v1/executions/{execution_id}/resume/', 409],
  // The token is none.
  ...['POST /api/v1/callbacks/{token}', 'GET /api/v1/callbacks/{token}', 'POST /api/v1/answers/{token}'].map(
    (operation): [string, number] => [operation, 404],
  ),
  // The execution has not failed.
  ['POST /api/v1/executions/{execution_id}/retry/', 409],
  // The execution waits for nobody.
  ['POST /api/v1/executions/{execution_id}/resume/', 409],
  // The node of the page is no schedule; docs/schedules.md has one.
  ...['start', 'pause', 'stop'].map((verb): [string, number] => [
    `POST /api/v1/workflows/{slug}/nodes/{node_id}/schedule/${verb}/`,
    400,
  ]),
  // The workflow of the examples takes no messages, and is nobody's default.
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

/** Things are made before they are used, and used before they are taken away, the inner ones first. */
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

/** A version is another one after every change: it is read again for whoever names it. */
function freshen({ needs }: Example, all: readonly Example[]): Example[] {
  if (!needs.includes('VERSION')) return [];
  return all.filter(({ gives }) => gives.some(({ variable }) => variable === 'VERSION'));
}

/** A deleted workflow is restored, and deleted again before it goes for good. */
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

/** What gives a variable goes first: what comes after may need it without naming it. */
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

// A step that waits has an address with a token; none waits here.
const variables: Record<string, string> = { TOKEN: 'none-of-ours' };

/** Runs it as a reader would, and keeps what its answer gives. */
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
