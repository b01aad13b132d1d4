import { describe, expect, test } from 'vitest';
import type { BotRun } from '../bots.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, newExecution, newWorkflow, start } from './world.ts';

const botId = '123456';
const reply = { credentialId: 1, chatId: '42', messageId: 7 };

/** Tests of bots. */
export function botSentences(store: () => Store): void {
  describe('updates', () => updateSentences(store));
  describe('answers', () => replySentences(store));
}

async function botRun(store: Store, updateId: number, address: BotRun['reply'] = reply): Promise<BotRun> {
  const { idempotency: _none, ...run } = newExecution(await newWorkflow(store));
  return { updateId, run, reply: address };
}

function updateSentences(store: () => Store): void {
  test('start their runs when the next update of the bot moves, together or not at all', async () => {
    const runs = [await botRun(store(), 5), await botRun(store(), 6)];
    expect(await store().bots.position(botId)).toEqual({ next: 0, receivedAt: null });
    expect(await store().bots.receive({ botId, at: start, from: 0, next: 7, runs })).toBe('received');
    expect(await store().bots.position(botId)).toEqual({ next: 7, receivedAt: start });
    expect(await store().bots.receive({ botId, at: start, from: 0, next: 9, runs: [await botRun(store(), 8)] })).toBe(
      'lost',
    );
    expect(await store().executions.openCount()).toBe(2);
    expect((await store().bots.position('other')).next).toBe(0);
  });

  test('that come again start no second run', async () => {
    const first = await botRun(store(), 5);
    await store().bots.receive({ botId, at: start, from: 0, next: 6, runs: [first] });
    const again = { ...first, run: { ...first.run, id: (await botRun(store(), 5)).run.id } };
    await store().bots.receive({ botId, at: start, from: 6, next: 6, runs: [again] });
    expect(await store().executions.openCount()).toBe(1);
  });

  test('of deleted workflows start nothing and are received', async () => {
    const lost = await botRun(store(), 5);
    await store().workflows.remove({ ids: [lost.run.workflowId], at: start });
    const runs = [lost, await botRun(store(), 6)];
    expect(await store().bots.receive({ botId, at: start, from: 0, next: 7, runs })).toBe('received');
    expect(await store().executions.openCount()).toBe(1);
  });
}

function replySentences(store: () => Store): void {
  /** A run that a message started, claimed, with the answer that is to be sent. */
  async function answered(address: BotRun['reply'], text = 'Done') {
    const { run } = await received(address);
    const [claimed] = await claim(store());
    if (claimed?.id !== run.id) throw new Error('the run was not claimed');
    const append = appendOf(claimed, [completed(text)]);
    await store().executions.append({ ...append, chatAnswer: text, botAnswer: { text, at: start + 9 } });
    return run;
  }

  async function received(address: BotRun['reply']): Promise<BotRun> {
    const run = await botRun(store(), 5, address);
    await store().bots.receive({ botId, at: start, from: 0, next: 6, runs: [run] });
    return run;
  }

  const due = (now: number) => store().bots.dueReplies({ now, limit: 10 });

  test('are due when the run has answered, and until they are removed', async () => {
    const notified: string[] = [];
    store().subscribe({ botRepliesDue: () => void notified.push('due') });
    expect(await store().bots.nextReplyAt()).toBeNull();
    const run = await answered(reply);
    expect(notified).toEqual(['due']);
    expect(await store().bots.nextReplyAt()).toBe(start + 9);
    expect(await due(start)).toEqual([]);
    const [found] = await due(start + 9);
    expect(found).toMatchObject({ ...reply, executionId: run.id, answer: 'Done', sent: 0, failures: 0 });
    const id = found?.id ?? 0;
    await store().bots.setReply({ id, sent: 1, failures: 2, dueAt: start + 100 });
    expect(await due(start + 99)).toEqual([]);
    expect(await due(start + 100)).toMatchObject([{ id, sent: 1, failures: 2 }]);
    await store().bots.removeReply(id);
    expect(await store().bots.nextReplyAt()).toBeNull();
  });

  test('are not sent for a message without an address', async () => {
    await answered(null);
    expect(await store().bots.nextReplyAt()).toBeNull();
  });

  test('are deleted with their run', async () => {
    const { workflowId, id } = await answered(reply);
    const ownerId = (await store().workflows.byId(workflowId))?.ownerId ?? 0;
    await store().executions.remove({ ids: [id], removableBy: ownerId });
    expect(await store().bots.nextReplyAt()).toBeNull();
  });
}
