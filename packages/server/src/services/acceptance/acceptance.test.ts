import { expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import { newExecution, newWorkflow } from '../../store/testsuite/world.ts';
import { createAcceptance } from './acceptance.ts';

test('a rejected caller gets a retry time that follows how fast runs end, also after the clock was set back', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const time = new VirtualTime();
  const acceptance = createAcceptance({ store, clock: time.clock, timers: time.timers, maxOpenRuns: 2 });
  const workflow = await newWorkflow(store);
  const accept = () => acceptance.accept(newExecution(workflow));
  const rejected = (retryAfter: number) => ({ code: 'overloaded', retryAfter });
  await accept();
  await accept();
  await expect(acceptance.checkRoom()).rejects.toMatchObject(rejected(5));
  time.setClock(-3_600_000);
  time.advance(10_000);
  // No run has ended.
  await expect(acceptance.checkRoom()).rejects.toMatchObject(rejected(60));
});
