import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionDetail } from '@millrace/contract';
import { expect, onTestFinished, test } from 'vitest';
import { draw, Outside, orders, prepared } from './order-agent.ts';
import { ServiceProcess } from './service-process.ts';

/** Two here; `npm run test:agent-kills` makes a hundred. */
const kills = Number(process.env.AGENT_KILLS ?? 2);
const firstSeed = Number(process.env.AGENT_SEED ?? 1);

/** Kills the service at one request of a run, before or a little after its answer, and lets a new one finish the run. */
async function killedRun(seed: number): Promise<Outside> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-agent-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const outside = await Outside.start();
  let service = await prepared(outside, () => ServiceProcess.start(dataDir));
  const at = 1 + draw(seed, 2 * orders);
  // After the answer its end may be stored or not.
  const afterMs = draw(seed * 31, 2) === 0 ? null : draw(seed * 17, 8);
  const killed = new Promise<void>((resolve, reject) => {
    outside.onRequest = async () => {
      if (outside.requests.length !== at) return;
      const kill = () => service.kill().then(resolve, reject);
      if (afterMs === null) await kill();
      else setTimeout(kill, afterMs);
    };
  });
  const started = await service.call('POST', '/api/v1/workflows/orders/execute/', { payload: {} });
  const { execution_id: id } = started.body as { execution_id: string };
  await killed;
  outside.kills = 1;
  service = await ServiceProcess.start(dataDir);
  for (;;) {
    const { body } = await service.call('GET', `/api/v1/executions/${id}/`);
    const { status, final_output, error_message } = executionDetail.parse(body);
    if (status !== 'pending' && status !== 'running') {
      expect({ status, final_output, error_message }).toMatchObject({
        status: 'completed',
        final_output: 'All ordered.',
      });
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await service.stop();
  return outside;
}

test(
  'an agent that is killed repeats at most the call that it was waiting for, and each order has one Idempotency-Key',
  async () => {
    for (let seed = firstSeed; seed < firstSeed + kills; seed += 1) {
      const { requests } = await killedRun(seed);
      const before = requests.filter((request) => request.kills === 0);
      const after = requests.filter((request) => request.kills === 1);
      const lastPlace = before.at(-1)?.place ?? 0;
      // The calls follow one another, so what came before the last one had ended.
      expect(
        after.every(({ place }) => place >= lastPlace),
        `AGENT_SEED=${seed}`,
      ).toBe(true);
      expect(new Set(requests.map(({ place }) => place)).size, `AGENT_SEED=${seed}`).toBe(2 * orders + 1);
      expect(requests.length, `AGENT_SEED=${seed}`).toBeLessThanOrEqual(2 * orders + 2);
      const keys = new Set(requests.filter(({ key }) => key !== '').map(({ place, key }) => `${place} ${key}`));
      expect(keys.size, `AGENT_SEED=${seed}`).toBe(orders);
    }
  },
  60_000 * kills,
);
