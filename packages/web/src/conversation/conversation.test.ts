import { describe, expect, test } from 'vitest';
import type { ExecutionLog } from '../api/executions.ts';
import { conversationsOf, singleAnswer, toolStepsIn } from './conversation.ts';

const place = { nodeId: 'ai', frame: '' };
let nextId = 0;

function log(frame: string, node_id: string, fields: Partial<ExecutionLog> = {}): ExecutionLog {
  nextId += 1;
  const { metadata = {}, ...rest } = fields;
  const entry = { id: nextId, frame, node_id, attempt: 1, status: 'success', input: {}, output: {}, error: null };
  return { ...entry, metadata: { agent: 'ai', ...metadata }, ...rest } as ExecutionLog;
}

const wants = (...ids: string[]) => ({
  text: 'Let me see.',
  calls: ids.map((id) => ({ id, tool: 'calc', arguments: { of: id } })),
});
const result = (id: string, content: string, isError = false) => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...(isError && { is_error: true }),
});
const question = { system: 'Be brief.', messages: [{ role: 'user', content: 'How much?' }] };
const tool = (id: string) => ({ metadata: { tool: 'calc', call_id: id } });

/** An agent that calls two tools, of which the second is not made, and then answers. */
const logs = [
  log('ai[0]', 'gpt', { input: question, output: wants('a', 'b') }),
  log('ai[1]', 'calc', { input: { of: 'a' }, output: { result: 42 }, ...tool('a') }),
  log('ai[3]', 'gpt', {
    input: { messages: [result('a', '42'), result('b', 'Error tool_unknown: …', true)] },
    output: { text: 'It is 42.', calls: [] },
  }),
];

const shape = (conversation: ReturnType<typeof conversationsOf>[number] | undefined) =>
  conversation?.rounds.map(({ model, tools }) => [
    model.frame,
    model.text,
    ...tools.map(({ id, step, seen }) => `${id} ${step?.frame ?? '–'} ${seen?.content ?? ''}`),
  ]);

describe('the conversation of an agent', () => {
  test('has the question, and each call of the model with the calls of tools that followed', () => {
    const [found] = conversationsOf(place, logs);
    expect(found).toMatchObject({ attempt: 1, system: 'Be brief.', question: 'How much?' });
    expect(shape(found)).toEqual([
      ['ai[0]', 'Let me see.', 'a ai[1] 42', 'b – Error tool_unknown: …'],
      ['ai[3]', 'It is 42.'],
    ]);
    expect(found?.rounds[0]?.tools[0]).toMatchObject({ name: 'calc', arguments: { of: 'a' } });
    expect(found?.rounds[0]?.tools[1]?.seen?.isError).toBe(true);
  });

  test('shows calls in progress, those that wait, and those that have not begun', () => {
    const waiting = log('ai[1]', 'calc', { status: 'waiting', output: null, ...tool('a') });
    const running = [{ frame: 'ai[2]', node_id: 'calc', attempt: 1, since: 500 }];
    const [found] = conversationsOf(place, [log('ai[0]', 'gpt', { output: wants('a', 'b', 'c') }), waiting], running);
    const steps = found?.rounds[0]?.tools.map(({ step }) => [step?.log?.status, step?.runningSince]);
    expect(steps).toEqual([
      ['waiting', null],
      [undefined, 500],
      [undefined, undefined],
    ]);
  });

  test('shows the first call of the model while it runs, and an attempt of it that follows a failed one', () => {
    const running = [{ frame: 'ai[0]', node_id: 'gpt', attempt: 1, since: 7 }];
    expect(conversationsOf(place, [], running)[0]?.rounds[0]?.model).toMatchObject({ runningSince: 7, log: null });
    const failed = log('ai[0]', 'gpt', { status: 'failed', output: null });
    const again = [{ frame: 'ai[0]', node_id: 'gpt', attempt: 2, since: 9 }];
    expect(conversationsOf(place, [failed], again)[0]?.rounds[0]?.model).toMatchObject({
      runningSince: 9,
      attempts: 2,
    });
    expect(conversationsOf(place, [failed], running)[0]?.rounds[0]?.model.runningSince).toBeNull();
  });

  test('is one for each attempt of the agent, and only of the agent in its own frame', () => {
    const others = [
      log('ai#2[0]', 'gpt', { output: { text: 'Again.', calls: [] } }),
      log('each[0]/ai[0]', 'gpt', { output: { text: 'Elsewhere.', calls: [] } }),
      log('aide[0]', 'gpt', { output: { text: 'Another.', calls: [] } }),
    ];
    expect(conversationsOf(place, [...others, ...logs]).map(({ attempt }) => attempt)).toEqual([1, 2]);
    const inner = conversationsOf({ nodeId: 'ai', frame: 'each[0]' }, others);
    expect(inner.map(shape)).toEqual([[['each[0]/ai[0]', 'Elsewhere.']]]);
    expect(conversationsOf({ nodeId: 'other', frame: '' }, logs)).toEqual([]);
  });

  test('continues after an answer that is too large to be read with all others', () => {
    const cut = { truncated: true, size: 9_000_000, preview: '{' };
    const [found] = conversationsOf(place, [log('ai[0]', 'gpt', { output: cut }), ...logs.slice(1, 2)]);
    expect(shape(found)).toEqual([['ai[0]', '', 'a ai[1] ']]);
  });

  test('has calls of tools that are listed for the whole execution, also of agents in loops', () => {
    const inner = logs.map((entry) => ({ ...entry, frame: `each[4]/${entry.frame}` }));
    const running = [{ frame: 'ai[4]', node_id: 'calc', attempt: 1, since: 3 }];
    const all = [...logs, log('ai[4]', 'gpt', { output: wants('c') }), ...inner];
    expect(toolStepsIn(logs).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(toolStepsIn(inner).map(({ step }) => step?.frame)).toEqual(['each[4]/ai[1]', undefined]);
    expect(toolStepsIn([log('', 'other', { metadata: { agent: undefined } })], running)).toEqual([]);
    expect(toolStepsIn(all, running).length).toBe(5);
  });

  test('without tools comes from the output of the agent', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How much?' },
      { role: 'assistant', content: '42' },
    ];
    const entry = log('', 'ai', { metadata: {}, output: { output: '42', messages } });
    const found = singleAnswer(entry);
    expect(found).toMatchObject({ system: 'Be brief.', question: 'How much?', rounds: [{ model: { text: '42' } }] });
    expect(singleAnswer({ ...entry, output: { result: 3 } })).toBeNull();
  });
});
