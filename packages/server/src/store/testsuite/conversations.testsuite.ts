import { expect, it } from 'vitest';
import type { ChatStore } from '../chats.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, failed, newExecution, newUser, newWorkflow, start } from './world.ts';

/** A window large enough for all messages here. */
const roomy = { turns: 100, bytes: 10_000 };

type Asked = Omit<Parameters<ChatStore['before']>[0], 'executionId'>;

/** A workflow with two users, their messages and the stored summaries. */
async function newConversation(store: () => Store) {
  const [user, other] = [await newUser(store()), await newUser(store())];
  const workflow = await newWorkflow(store(), { ownerId: user.id });
  const ask = async (text: string, { sessionId = 's1', userId = user.id, of = workflow } = {}) => {
    const trigger = { payload: { text, session_id: sessionId }, text, sessionId };
    const run = newExecution(of, { trigger, chat: { userId, sessionId, text } });
    return (await store().executions.accept(run)).id;
  };
  /** Ends all pending runs with these answers; a run without one fails. */
  const answer = async (answers: Readonly<Record<string, string>>) => {
    for (const run of await claim(store())) {
      const chatAnswer = answers[run.id];
      const end = chatAnswer === undefined ? failed('no') : completed(chatAnswer);
      await store().executions.append({
        ...appendOf(run, [end], run.journal.length),
        ...(chatAnswer !== undefined && { chatAnswer }),
      });
    }
  };
  const say = async (text: string, reply: string, where: Parameters<typeof ask>[1] = {}) => {
    const id = await ask(text, where);
    await answer({ [id]: reply });
    return id;
  };
  const read = async (executionId: string, { memory = null, ...window }: Partial<Asked> = {}) => {
    const { summary, turns } = await store().chats.before({ executionId, memory, ...roomy, ...window });
    return { summary, turns: turns.map(({ text, answer: reply }) => `${text}: ${reply}`) };
  };
  const before = async (executionId: string, asked: Partial<Asked> = {}) => (await read(executionId, asked)).turns;
  return { user, other, workflow, ask, answer, say, read, before };
}

/** Tests of the conversation before a message. */
export function conversationSentences(store: () => Store): void {
  it('has the turns before a message, oldest first, without itself and later turns', async () => {
    const { say, before } = await newConversation(store);
    const first = await say('one', '1');
    await say('two', '2');
    const third = await say('three', '3');
    await say('four', '4');
    expect(await before(first)).toEqual([]);
    expect(await before(third)).toEqual(['one: 1', 'two: 2']);
  });

  it('excludes other sessions, users and workflows', async () => {
    const { other, user, say, before } = await newConversation(store);
    const of = await newWorkflow(store(), { ownerId: user.id });
    await say('another session', 'x', { sessionId: 's2' });
    await say('another user', 'x', { userId: other.id });
    await say('another workflow', 'x', { of });
    const mine = await say('mine', 'y');
    expect(await before(mine)).toEqual([]);
    const theirs = await say('theirs', 'y', { userId: other.id });
    expect(await before(theirs)).toEqual(['another user: x']);
  });

  it('excludes turns without an answer, or with a blank message or answer', async () => {
    const { ask, answer, say, before } = await newConversation(store);
    const fails = await ask('fails');
    await answer({});
    await say('silent', ' \n');
    await say(' ', 'to nothing');
    await say('one', '1');
    const open = await ask('open');
    const last = await ask('last');
    expect(await before(last)).toEqual(['one: 1']);
    await answer({ [open]: 'at last', [last]: 'done' });
    expect(await before(last)).toEqual(['one: 1', 'open: at last']);
    expect(await before(fails)).toEqual([]);
  });

  windowSentences(store);
  kinSentences(store);
  summarySentences(store);
}

function windowSentences(store: () => Store): void {
  it('has the last turns only, up to the limit', async () => {
    const { say, ask, before } = await newConversation(store);
    for (const each of ['1', '2', '3', '4']) await say(each, each);
    const last = await ask('last');
    expect(await before(last, { turns: 2 })).toEqual(['3: 3', '4: 4']);
    expect(await before(last, { turns: 4 })).toHaveLength(4);
  });

  it('has whole turns that fit in the limit of bytes', async () => {
    const { say, ask, before } = await newConversation(store);
    await say('tiny', '1');
    // Ten bytes of UTF-8 in seven characters.
    await say('äöü', '12..');
    await say('abc', 'de');
    const last = await ask('last');
    expect(await before(last, { bytes: 4 })).toEqual([]);
    expect(await before(last, { bytes: 5 })).toEqual(['abc: de']);
    expect(await before(last, { bytes: 14 })).toEqual(['abc: de']);
    expect(await before(last, { bytes: 15 })).toEqual(['äöü: 12..', 'abc: de']);
    expect(await before(last, { bytes: 20 })).toHaveLength(3);
  });

  it('excludes a turn that is larger than the window, and gives the size of each turn', async () => {
    const { say, ask, before } = await newConversation(store);
    const first = await say('one', '1');
    await say('large', 'x'.repeat(20));
    await say('two', '2');
    const last = await ask('last');
    expect(await before(last, { bytes: 20 })).toEqual(['one: 1', 'two: 2']);
    const { turns } = await store().chats.before({ executionId: last, memory: null, ...roomy });
    expect(turns[0]).toEqual({ executionId: first, text: 'one', answer: '1', size: 4 });
    expect(turns[1]?.size).toBe(25);
  });
}

function kinSentences(store: () => Store): void {
  it('is that of the first run for a replay, and for a replay of a replay', async () => {
    const { say, workflow, before } = await newConversation(store);
    await say('one', '1');
    const second = await say('two', '2');
    await say('three', '3');
    let of = second;
    for (const _ of [1, 2]) {
      const replay = newExecution(workflow, { fork: { executionId: of, facts: [] } });
      of = (await store().executions.accept(replay)).id;
      expect(await before(of)).toEqual(['one: 1']);
    }
  });

  it('is empty for runs that no message started', async () => {
    const { say, workflow, before } = await newConversation(store);
    const parent = await say('one', '1');
    const trigger = { payload: {}, text: 'two', sessionId: 's1' };
    const alone = await store().executions.accept(newExecution(workflow, { trigger }));
    const below = newExecution(workflow, { trigger, parent: { executionId: parent, depth: 1 } });
    await store().executions.accept(below);
    expect(await before(alone.id)).toEqual([]);
    expect(await before(below.id)).toEqual([]);
    expect(await before('no such run')).toEqual([]);
  });

  it('is empty after it was deleted, for earlier turns and for the run itself', async () => {
    const { say, user, workflow, before } = await newConversation(store);
    await say('one', '1');
    const second = await say('two', '2');
    await store().chats.remove({ workflowId: workflow.id, userId: user.id, sessionId: 's1' });
    const third = await say('three', '3');
    expect(await before(second)).toEqual([]);
    expect(await before(third)).toEqual([]);
  });

  it('is in the order of acceptance, regardless of the clock', async () => {
    const { say, workflow, user, before } = await newConversation(store);
    await say('one', '1');
    const chat = { userId: user.id, sessionId: 's1', text: 'two' };
    const { id } = await store().executions.accept(newExecution(workflow, { at: start - 86_400_000, chat }));
    expect(await before(id)).toEqual(['one: 1']);
  });
}

function summarySentences(store: () => Store): void {
  /** Tests of the summaries that the run of a message stores. */
  const keep = (executionId: string, until: string, { memory = 'past', text = 'in short' } = {}) =>
    store().chats.keepSummary({ executionId, memory, until, text });

  it('has the newest summary before the message, for the given memory, and the later turns', async () => {
    const { say, ask, read } = await newConversation(store);
    const first = await say('one', '1');
    const second = await say('two', '2');
    const third = await say('three', '3');
    const last = await ask('last');
    await keep(third, second, { text: 'up to two' });
    await keep(second, first, { text: 'up to one' });
    expect(await read(last, { memory: 'past' })).toEqual({ summary: 'up to two', turns: ['three: 3'] });
    expect(await read(third, { memory: 'past' })).toEqual({ summary: 'up to two', turns: [] });
    expect(await read(second, { memory: 'past' })).toEqual({ summary: 'up to one', turns: [] });
    expect(await read(first, { memory: 'past' })).toEqual({ summary: null, turns: [] });
    const all = { summary: null, turns: ['one: 1', 'two: 2', 'three: 3'] };
    expect(await read(last, { memory: 'other' })).toEqual(all);
    expect(await read(last)).toEqual(all);
  });

  it('excludes a summary that a later message made', async () => {
    const { say, workflow, read } = await newConversation(store);
    const first = await say('one', '1');
    const second = await say('two', '2');
    const third = await say('three', '3');
    await keep(third, first);
    expect(await read(second, { memory: 'past' })).toEqual({ summary: null, turns: ['one: 1'] });
    expect(await read(third, { memory: 'past' })).toEqual({ summary: 'in short', turns: ['two: 2'] });
    const replay = newExecution(workflow, { fork: { executionId: second, facts: [] } });
    expect(await read((await store().executions.accept(replay)).id, { memory: 'past' })).toMatchObject({
      summary: null,
    });
    await keep(replay.id, first, { memory: 'of the replay' });
    expect(await read(second, { memory: 'of the replay' })).toEqual({ summary: 'in short', turns: [] });
  });

  it('excludes summaries of other users and sessions', async () => {
    const { other, say, ask, read } = await newConversation(store);
    const theirs = await say('theirs', '1', { userId: other.id });
    await keep(theirs, theirs);
    const elsewhere = await say('elsewhere', '2', { sessionId: 's2' });
    await keep(elsewhere, elsewhere);
    expect(await read(await ask('mine'), { memory: 'past' })).toEqual({ summary: null, turns: [] });
  });

  it('stores the first summary of a turn, separately for each memory', async () => {
    const { say, ask, read } = await newConversation(store);
    const first = await say('one', '1');
    const last = await ask('last');
    await keep(last, first, { text: 'first' });
    await keep(last, first, { text: 'second' });
    await keep(last, first, { text: 'of another', memory: 'other' });
    expect(await read(last, { memory: 'past' })).toMatchObject({ summary: 'first' });
    expect(await read(last, { memory: 'other' })).toMatchObject({ summary: 'of another' });
  });

  it('deletes a summary with the last turn that it covers, and stores none for a deleted turn', async () => {
    const { user, workflow, say, ask, read } = await newConversation(store);
    const first = await say('one', '1');
    const second = await say('two', '2');
    await keep(second, first, { text: 'up to one' });
    await keep(second, second, { text: 'up to two' });
    await store().executions.remove({ ids: [second], removableBy: user.id });
    const last = await ask('last');
    expect(await read(last, { memory: 'past' })).toEqual({ summary: 'up to one', turns: [] });
    await store().chats.remove({ workflowId: workflow.id, userId: user.id });
    await keep(last, first, { text: 'too late' });
    expect(await read(await ask('again'), { memory: 'past' })).toEqual({ summary: null, turns: [] });
  });
}
