import { expect, it } from 'vitest';
import { startRunning } from '../support/running.ts';

it('cancels the executions that run or wait when their workflow is deleted', async () => {
  const running = await startRunning({ withRunner: false });
  const owner = await running.addPerson('member');
  const { id } = await running.addWorkflow(owner.user, 'flow', { nodes: { hook: 'trigger_webhook' } });
  await owner.post('/api/v1/webhooks/flow', {});
  const { id: run } = await running.onlyRun();
  await running.store.workflows.remove({ ids: [id], at: running.time.clock.now() });
  expect((await owner.get(`/api/v1/executions/${run}/`)).body).toMatchObject({ status: 'cancelled' });
});
