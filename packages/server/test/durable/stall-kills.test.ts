import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServiceProcess } from './service-process.ts';

/** Two kills here; `npm run test:stall-kills` kills twenty times. */
const kills = Number(process.env.STALL_KILLS ?? 2);
/** The maximum time of each restart in milliseconds; here other tests use the cores, too. */
const restartMs = Number(process.env.STALL_RESTART_MS ?? 30_000);
/** The maximum time of each answer after a restart, in milliseconds. */
const answerMs = Number(process.env.STALL_ANSWER_MS ?? 5000);

const program = { script: new URL('./stalling-service.ts', import.meta.url), args: [] };

let dataDir: string;
let service: ServiceProcess;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-stalls-'));
});
afterEach(async () => {
  await service.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  return ServiceProcess.start(dataDir, environment, program);
}

/** A workflow whose step ends the service, and one whose runs wait. */
async function addWorkflows(how: string): Promise<void> {
  const texts = [
    `name: harmful\nslug: harmful\ntrigger: webhook\nsteps:\n  - {id: bad, type: harmful, how: ${how}}\n`,
    'name: good\nslug: good\ntrigger: webhook\nsteps:\n  - {id: pause, type: wait, duration: 1}\n',
  ];
  for (const yaml_str of texts) {
    expect((await service.call('POST', '/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
  }
}

async function startRun(slug: string): Promise<string> {
  const { status, body } = await service.call('POST', `/api/v1/webhooks/${slug}`, {});
  expect(status).toBe(200);
  return (body as { execution_id: string }).execution_id;
}

interface SeenRun {
  readonly status: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly error_node_id: string | null;
}

async function runOf(id: string): Promise<SeenRun> {
  return (await service.call('GET', `/api/v1/executions/${id}/`)).body as SeenRun;
}

async function answers(ms: number): Promise<boolean> {
  const signal = AbortSignal.timeout(ms);
  return fetch(`${service.url}/health/`, { signal }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Resolves once the service does not answer any more. Until then each of its answers must come in time. */
async function stalls(): Promise<number> {
  let slowest = 0;
  for (;;) {
    const began = performance.now();
    // A second and more: a stall that lasts, and not the other tests.
    if (!(await answers(1500))) return slowest;
    slowest = Math.max(slowest, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function restart(): Promise<number> {
  const began = performance.now();
  service = await start();
  expect(await answers(restartMs)).toBe(true);
  return performance.now() - began;
}

async function ended(id: string): Promise<SeenRun> {
  for (;;) {
    const run = await runOf(id);
    if (run.status === 'completed' || run.status === 'failed') return run;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test(
  'kill -9 during a stall: each restart is ready and answers, and the execution fails after the second one',
  async () => {
    const restarts: number[] = [];
    let slowest = 0;
    service = await start();
    await addWorkflows('stalls');
    let bad = '';
    for (let kill = 1; kill <= kills; kill += 1) {
      const good = kill % 2 === 1 ? await startRun('good') : null;
      if (kill % 2 === 1) bad = await startRun('harmful');
      slowest = Math.max(slowest, await stalls());
      await service.kill();
      restarts.push(await restart());
      if (good !== null) expect((await ended(good)).status).toBe('completed');
      if (kill % 2 === 0) {
        expect(await ended(bad)).toMatchObject({ status: 'failed', error_code: 'run_stalled', error_node_id: 'bad' });
      }
    }
    console.log(JSON.stringify({ kills, restartMs: restarts.map(Math.round), slowestAnswerMs: Math.round(slowest) }));
    expect(Math.max(...restarts)).toBeLessThan(restartMs);
    expect(slowest).toBeLessThan(answerMs);
  },
  60_000 * kills,
);

test.each([
  ['aborts', 'run_lost'],
  ['exits', 'run_lost'],
  ['throws later', 'run_lost'],
  ['stalls later', 'run_stalled'],
])(
  'an execution that ends the service twice fails, and the others complete: the step %s',
  async (how, code) => {
    // Only where the service has to end itself: on a busy machine the start of another test can take a second, too.
    const environment: Record<string, string> = how === 'stalls later' ? { STALL_END_MS: '3000' } : {};
    service = await start(environment);
    await addWorkflows(how);
    const good = await startRun('good');
    const bad = await startRun('harmful').catch(() => null);
    for (let time = 1; time <= 2; time += 1) {
      await service.ended();
      service = await start(environment);
      const id = bad ?? (await lastRun('harmful'));
      if (time === 2) {
        expect(await ended(id)).toMatchObject({ status: 'failed', error_code: code });
        expect((await runOf(id)).error_message).toContain("node 'bad'");
      }
    }
    expect((await ended(good)).status).toBe('completed');
  },
  120_000,
);

async function lastRun(slug: string): Promise<string> {
  const { body } = await service.call('GET', `/api/v1/executions/?workflow_slug=${slug}&limit=1`);
  return (body as { items: { execution_id: string }[] }).items[0]?.execution_id ?? '';
}
