import type { Node } from '@millrace/core';
import type { Reply, TestService } from './test-service.ts';

/** Other schedules that fire before the one that is meant: more than any test has. */
const mostOthers = 1000;

/** Lets time pass to the next fire of a schedule, and no other one fire. The reply says why nothing was started. */
export async function fire(service: TestService, { id, nodeId }: Node, workflowId: number): Promise<Reply> {
  const { time, store } = service;
  const own = async () => (await store.schedules.ofWorkflow(workflowId)).find((schedule) => schedule.id === id);
  const fireAt = (await own())?.nextFireAt ?? null;
  if (fireAt === null) return { status: 422, headers: {}, body: `'${nodeId}' never fires.` };
  const others = await store.schedules.due({ now: fireAt, limit: mostOthers });
  for (const { id: other } of others) {
    if (other !== id) await store.schedules.setState({ id: other, state: 'paused', at: time.clock.now() });
  }
  service.startSchedules();
  await service.settle();
  time.skip(fireAt - time.clock.now());
  await service.settle();
  await service.stopSchedules();
  const error = (await own())?.error ?? null;
  return error === null ? { status: 200, headers: {}, body: null } : { status: 422, headers: {}, body: error };
}
