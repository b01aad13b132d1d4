import type { GivenAnswers } from './given-answers.ts';
import type { PendingReply, TestService } from './test-service.ts';

/**
 * Lets a run go on until nothing more happens by itself. Time passes at once: while a run is under way to the next
 * moment at which anything happens, and while all runs wait right to the end of a wait, or to its answer.
 */
export async function runToTheEnd(service: TestService, answers: GivenAnswers, reply: PendingReply): Promise<void> {
  const { store, time } = service;
  for (;;) {
    await service.settle();
    if (await answers.give()) continue;
    const isUnderWay = (await store.executions.openCount()) > 0;
    const moments = [await store.waits.nextDue(), answers.nextAt].filter((at) => at !== null);
    if (isUnderWay) time.advanceToNext();
    else if (moments.length > 0) time.skip(Math.max(0, Math.min(...moments) - time.clock.now()));
    else if (reply.value === null) time.advanceToNext();
    else return;
  }
}
