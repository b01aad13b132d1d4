import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Clockwork, type Process } from '../support/clockwork.ts';
import { counted, reached } from '../support/reached.ts';

/** Twelve here; `npm run promises -- --release` does 400. */
const runs = Number(process.env.CLOCK_RUNS ?? 12);

const second = 1000;
const hour = 3600 * second;

/** Steps of a workflow, and when an execution of it ends. */
interface Duration {
  readonly steps: string;
  readonly seconds: number;
  readonly status: 'completed' | 'failed';
}

/** Every kind of duration that an execution waits for. */
const durations: Readonly<Record<string, Duration>> = {
  'a wait': { steps: '- {id: a, type: wait, duration: 50}', seconds: 50, status: 'completed' },
  'a short wait': { steps: '- {id: a, type: wait, duration: 4}', seconds: 4, status: 'completed' },
  'a wait that its timeout ends': {
    steps: '- {id: a, type: wait, duration: 500, policies: {timeout_seconds: 40}}',
    seconds: 40,
    status: 'failed',
  },
  'the timeout of a callback': {
    steps: '- {id: a, type: wait, callback: true, policies: {timeout_seconds: 30}}',
    seconds: 30,
    status: 'failed',
  },
  'the timeout of a question': {
    steps: '- {id: a, type: human_confirmation, prompt: "Go?", policies: {timeout_seconds: 30}}',
    seconds: 30,
    status: 'completed',
  },
  'a retry delay': {
    steps:
      '- {id: a, type: http_request, url: "http://example.com/", policies: {retry: {max_attempts: 2, delay_ms: 60000, max_delay_ms: 60000, jitter: false}}}',
    seconds: 60,
    status: 'failed',
  },
  'a short retry delay': {
    steps:
      '- {id: a, type: http_request, url: "http://example.com/", policies: {retry: {max_attempts: 2, delay_ms: 3000, jitter: false}}}',
    seconds: 3,
    status: 'failed',
  },
  'the time limit of a loop whose steps wait': {
    steps:
      '- {id: a, type: loop, over: "{{ [1, 2] }}", policies: {timeout_seconds: 45}, body: [{id: b, type: wait, duration: 40}]}',
    seconds: 45,
    status: 'failed',
  },
  'a wait after a wait': {
    steps: '- {id: a, type: wait, duration: 20}\n  - {id: b, type: wait, duration: 20}',
    seconds: 40,
    status: 'completed',
  },
};

async function begin(clockwork: Clockwork, { api }: Process, steps: string): Promise<string> {
  const yaml_str = `name: it\nslug: it\ntrigger: webhook\nsteps:\n  ${steps}\n`;
  const imported = await api.post('/api/v1/workflows/import/', { yaml_str });
  if (imported.status !== 201) throw new Error(imported.text);
  const { body } = await api.post('/api/v1/webhooks/it', {});
  await clockwork.settle();
  return (body as { execution_id: string }).execution_id;
}

async function statusOf({ api }: Process, id: string): Promise<string> {
  return ((await api.get(`/api/v1/executions/${id}/`)).body as { status: string }).status;
}

// Requirement engine.durability.time.class: every kind of duration takes its time, however the clock is set and the service restarted meanwhile
test('every duration takes its time, however the clock is set and the service restarted meanwhile', async () => {
  const change = fc.record({
    afterSeconds: fc.nat(60),
    byMs: fc.constantFrom(-2 * hour, 24 * hour, 10 * second, -10 * second, 400 * 24 * hour),
  });
  const restart = fc.option(fc.nat(60), { nil: null });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(durations)),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      restart,
      async (kind, changes, restartAt) => {
        const { steps, seconds, status } = durations[kind] ?? { steps: '', seconds: 0, status: '' };
        const clockwork = await Clockwork.at('2026-05-01T12:00:00Z');
        let service = await clockwork.start();
        const id = await begin(clockwork, service, steps);
        for (let passed = 0; passed < seconds; passed += 1) {
          expect([kind, passed, isOver(await statusOf(service, id))]).toEqual([kind, passed, false]);
          for (const { afterSeconds, byMs } of changes) if (afterSeconds === passed) clockwork.time.setClock(byMs);
          if (restartAt === passed) {
            await service.stop();
            service = await clockwork.start();
          }
          await clockwork.pass(second);
        }
        // A timer may be a moment late.
        await clockwork.pass(second);
        expect([kind, await statusOf(service, id)]).toEqual([kind, status]);
      },
    ),
    { numRuns: runs },
  );
  reached('P16', `${counted(runs)} series of clock changes and restarts, each duration right`);
});

function isOver(status: string): boolean {
  return !['pending', 'running', 'waiting', 'interrupted'].includes(status);
}
