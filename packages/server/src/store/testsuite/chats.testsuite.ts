import { expect, it } from 'vitest';
import type { ChatFilter } from '../chats.ts';
import type { Store } from '../store.ts';
import {
  appendOf,
  claim,
  completed,
  failed,
  newExecution,
  newUser,
  newWorkflow,
  start,
  stepSucceeded,
} from './world.ts';

/** A workflow with two users and their messages. */
async function newTalk(store: () => Store) {
  const [user, other] = [await newUser(store()), await newUser(store())];
  const workflow = await newWorkflow(store(), { ownerId: user.id });
  const say = async (text: string, sessionId = 's1', userId = user.id) => {
    const run = newExecution(workflow, {
      trigger: { payload: { text, session_id: sessionId }, text, sessionId },
      chat: { userId, sessionId, text },
    });
    return (await store().executions.accept(run)).id;
  };
  const list = (filter: Partial<ChatFilter & { readonly characters: number }> = {}) =>
    store().chats.list({ workflowId: workflow.id, limit: 10, offset: 0, ...filter });
  const texts = async (filter: Partial<ChatFilter> = {}) => (await list(filter)).items.map(({ text }) => text);
  return { user, other, workflow, say, list, texts };
}

/** Tests of the chat history. */
export function chatSentences(store: () => Store): void {
  it('stores a message with its run, and its session with its trigger', async () => {
    const { user, say, list } = await newTalk(store);
    const executionId = await say('Hello');
    const turn = { executionId, sessionId: 's1', username: user.username, text: 'Hello', status: 'pending' };
    expect(await list()).toEqual({ items: [{ ...turn, answer: null, askedAt: start, answeredAt: null }], total: 1 });
    const [run] = await claim(store());
    expect(run?.trigger).toEqual({ payload: { text: 'Hello', session_id: 's1' }, text: 'Hello', sessionId: 's1' });
    expect((await store().executions.detail(executionId))?.trigger.sessionId).toBe('s1');
  });

  it('stores the answer with the end of the run, or not at all', async () => {
    const { say, list } = await newTalk(store);
    await say('Hello');
    const [run] = await claim(store());
    if (run === undefined) throw new Error('nothing was claimed');
    const stale = { ...appendOf(run, [completed()]), epoch: run.epoch - 1, chatAnswer: 'wrong' };
    expect(await store().executions.append(stale)).toBe('lost');
    expect((await list()).items).toMatchObject([{ answer: null, status: 'running' }]);
    await store().executions.append({ ...appendOf(run, [completed()]), chatAnswer: 'Hi' });
    expect((await list()).items).toMatchObject([{ answer: 'Hi', status: 'completed', answeredAt: start + 9 }]);
  });

  it('stores an answer given before the end, however the run ends', async () => {
    const { say, list } = await newTalk(store);
    for (const end of [failed('no'), completed('Later')]) {
      await say('Hello');
      const [run] = await claim(store());
      if (run === undefined) throw new Error('nothing was claimed');
      await store().executions.append({ ...appendOf(run, [stepSucceeded('a')]), chatAnswer: 'Hi' });
      expect((await list()).items[0]).toMatchObject({ answer: 'Hi', status: 'running', answeredAt: null });
      const withAnswer = end.kind === 'run_finished' && end.status === 'completed' ? { chatAnswer: 'Later' } : {};
      await store().executions.append({ ...appendOf(run, [end], 1), ...withAnswer });
      expect((await list()).items[0]).toMatchObject({ answer: 'Hi', answeredAt: start + 9 });
    }
  });

  it('stores no answer of a run that failed', async () => {
    const { say, list } = await newTalk(store);
    await say('Hello');
    const [run] = await claim(store());
    if (run === undefined) throw new Error('nothing was claimed');
    await store().executions.append(appendOf(run, [failed('no')]));
    expect((await list()).items).toMatchObject([{ answer: null, status: 'failed' }]);
  });

  it('separates users and sessions, newest first', async () => {
    const { user, other, say, texts } = await newTalk(store);
    await say('1');
    await say('2', 's2');
    await say('3', 's1', other.id);
    expect(await texts()).toEqual(['3', '2', '1']);
    expect(await texts({ userId: user.id })).toEqual(['2', '1']);
    expect(await texts({ sessionId: 's1' })).toEqual(['3', '1']);
    expect(await texts({ userId: user.id, sessionId: 's1' })).toEqual(['1']);
    expect(await texts({ userId: 0 })).toEqual([]);
  });

  forgettingSentences(store);
}

function forgettingSentences(store: () => Store): void {
  it('deletes the requested turns but not their runs', async () => {
    const { user, other, workflow, say, texts } = await newTalk(store);
    const first = await say('1');
    await say('2', 's2');
    await say('3', 's1', other.id);
    await store().chats.remove({ workflowId: workflow.id, userId: user.id, sessionId: 's1' });
    expect(await texts()).toEqual(['3', '2']);
    await store().chats.remove({ workflowId: workflow.id, userId: user.id });
    expect(await texts()).toEqual(['3']);
    expect(await store().executions.byId(first)).not.toBeNull();
  });

  it('deletes a turn with its run', async () => {
    const { user, workflow, say, texts } = await newTalk(store);
    const id = await say('1');
    await store().executions.cancel({ id, at: start });
    await store().executions.remove({ ids: [id], removableBy: user.id });
    expect(await texts()).toEqual([]);
    await say('2');
    await store().workflows.remove({ ids: [workflow.id], at: start });
    await store().trash.purge({ id: workflow.id, runs: 10, at: start });
    await store().trash.purge({ id: workflow.id, runs: 10, at: start });
    expect(await texts()).toEqual([]);
  });

  it('deletes the messages of a deleted user', async () => {
    const { user, other, say, texts } = await newTalk(store);
    await say('1');
    await say('2', 's1', other.id);
    await store().users.remove({ id: other.id, heirId: user.id, at: start });
    expect(await texts()).toEqual(['1']);
  });

  it('shortens the older texts of a page that would be too long', async () => {
    const { say, list } = await newTalk(store);
    const long = `${'x'.repeat(199)}😀 and more`;
    for (const text of ['old', long, 'x'.repeat(500), 'new']) await say(text);
    const run = (await claim(store())).at(-1);
    if (run !== undefined) await store().executions.append({ ...appendOf(run, [completed()]), chatAnswer: 'A' });
    const texts = async (characters: number) => (await list({ characters })).items.map(({ text }) => text);
    expect(await texts(10_000)).toEqual(['new', 'x'.repeat(500), long, 'old']);
    expect(await texts(600)).toEqual(['new', 'x'.repeat(500), `${'x'.repeat(199)}\uFFFD…`, 'old']);
    expect(await texts(504)).toEqual(['new', 'x'.repeat(500), `${'x'.repeat(199)}\uFFFD…`, 'old']);
    expect(await texts(503)).toEqual(['new', `${'x'.repeat(200)}…`, `${'x'.repeat(199)}\uFFFD…`, 'old']);
  });

  it('stores the last thousand turns of a user with a workflow', async () => {
    const { other, say, list } = await newTalk(store);
    await say('of another', 's1', other.id);
    await Promise.all(Array.from({ length: 1002 }, (_, index) => say(String(index))));
    const { items, total } = await list();
    expect(total).toBe(1001);
    expect(items[0]?.text).toBe('1001');
  });
}
