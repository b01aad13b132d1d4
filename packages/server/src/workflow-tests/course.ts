import type { PendingReply, Stage } from './stage.ts';

/**
 * Lets a run go on until nothing more happens by itself. Time passes at once: while a run is under way to the next
 * moment at which anything happens, and while all runs wait for a time right to that.
 */
export async function runToTheEnd(stage: Stage, reply: PendingReply): Promise<void> {
  const { store, time } = stage;
  for (;;) {
    await stage.settle();
    const isUnderWay = (await store.executions.openCount()) > 0;
    const due = isUnderWay ? null : await store.waits.nextDue();
    if (due !== null) time.skip(Math.max(0, due - time.clock.now()));
    else if (isUnderWay || reply.value === null) time.advanceToNext();
    else return;
  }
}
