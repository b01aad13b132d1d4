import { executionDetail, webhookAccepted } from '@millrace/contract';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Retention } from '../../src/services/executions/retention.ts';
import { Clockwork } from '../support/clockwork.ts';

const minute = 60_000;
const runs = Number(process.env.MILLRACE_RETENTION_TESTS ?? 10);
const limits = { days: null, runsPerWorkflow: 3, minutes: 5 };

test('the result of every execution of a busy workflow can be read for the minimum time, and only the newest longer', async () => {
  const loads = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 8, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(loads, async (perMinute) => {
      const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
      const { api, stop } = await clockwork.start();
      const { store, time } = clockwork;
      const log = pino({ level: 'silent' });
      const retention = new Retention({ store, clock: time.clock, timers: time.timers, limits, log });
      retention.start();
      await api.post('/api/v1/workflows/', { name: 'Orders', slug: 'busy' });
      await api.post('/api/v1/workflows/busy/nodes/', { node_id: 'hook', component_type: 'trigger_webhook' });
      const ended: { readonly id: string; readonly at: number }[] = [];
      for (const load of perMinute) {
        for (let delivery = 0; delivery < load; delivery += 1) {
          const id = webhookAccepted.parse((await api.post('/api/v1/webhooks/busy', { delivery })).body).execution_id;
          await clockwork.settle();
          ended.push({ id, at: time.clock.now() });
        }
        await clockwork.pass(minute, minute);
        for (let breath = 0; breath < 3; breath += 1) await clockwork.pass(10, 10);
        const recent = ended.filter(({ at }) => time.clock.now() - at < limits.minutes * minute);
        for (const { id } of recent) {
          const { status, body } = await api.get(`/api/v1/executions/${id}/`);
          expect(status).toBe(200);
          expect(executionDetail.parse(body).status).toBe('completed');
        }
        const { total } = (await api.get('/api/v1/executions/?workflow_slug=busy')).body as { total: number };
        expect(total).toBe(Math.min(ended.length, Math.max(recent.length, limits.runsPerWorkflow)));
      }
      const stopped = retention.stop();
      await clockwork.pass(100);
      await stopped;
      await stop();
    }),
    { numRuns: runs },
  );
});
