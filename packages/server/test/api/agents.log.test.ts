import { executionDetail } from '@millrace/contract';
import { describe, expect, test } from 'vitest';
import { AgentScene, ways } from '../support/agent-scene.ts';

const question = { role: 'user', content: 'What is 6 * 7?' };
const call = (id: string, name: string, args: object) => ({ id, name, arguments: args });

/** A run in which the model calls a tool, one that does not exist, and one that fails. */
async function run(scene: AgentScene, way = ways[0]) {
  const answers = [
    {
      text: 'Let me see.',
      calls: [
        { id: 'a', name: 'calc', args: { expression: '6 * 7' } },
        { id: 'b', name: 'search', args: {} },
      ],
    },
    { calls: [{ id: 'c', name: 'calc', args: { expression: '1 / 0' } }] },
    { text: 'It is 42.' },
  ];
  return scene.run({ answers, agent: {}, tools: { calc: ['calculator', {}] } }, way);
}

async function entry(scene: AgentScene, execution: string, id: number) {
  const { body } = await scene.person.get(`/api/v1/executions/${execution}/?log=${id}`);
  const [log] = executionDetail.parse(body).logs;
  if (log === undefined) throw new Error('the entry does not exist');
  return log;
}

describe('the log of an agent', () => {
  test('shows for each call of the model what is new in its prompt, with the errors of tools as the model reads them', async () => {
    const scene = await AgentScene.start();
    const { logs } = await run(scene);
    const inputs = logs.filter(({ node_id }) => node_id === 'gpt').map(({ input }) => input);
    expect(inputs).toEqual([
      { messages: [question] },
      {
        messages: [
          { role: 'tool', tool_call_id: 'a', content: '42' },
          {
            role: 'tool',
            tool_call_id: 'b',
            content: "Error tool_unknown: There is no tool 'search'. Available: calc.",
            is_error: true,
          },
        ],
      },
      {
        messages: [
          { role: 'tool', tool_call_id: 'c', content: expect.stringMatching(/^Error expression: /), is_error: true },
        ],
      },
    ]);
  });

  test('has the usage of each call of the model, and names the tool of each other call', async () => {
    const scene = await AgentScene.start();
    const { logs } = await run(scene);
    const usage = { input_tokens: 10, output_tokens: 4, total_tokens: 14, cost_usd: 18 / 1_000_000 };
    expect(logs.slice(1, 3).map(({ frame, metadata }) => [frame, metadata])).toEqual([
      ['ai[0]', { agent: 'ai', usage }],
      ['ai[1]', { agent: 'ai', tool: 'calc', call_id: 'a' }],
    ]);
  });

  test('returns the whole prompt of a call of the model when its entry is read alone', async () => {
    const scene = await AgentScene.start();
    const { execution_id: id, logs } = await run(scene);
    const last = logs.findLast(({ node_id }) => node_id === 'gpt');
    const { prompt } = await entry(scene, id, last?.id ?? 0);
    expect(prompt).toMatchObject({
      model: 'small',
      system: '',
      tool_choice: 'auto',
      tools: [{ name: 'calc', parameters: { required: ['expression'], additionalProperties: false } }],
    });
    expect(prompt?.messages).toEqual([
      question,
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [call('a', 'calc', { expression: '6 * 7' }), call('b', 'search', {})],
      },
      { role: 'tool', tool_call_id: 'a', content: '42' },
      expect.objectContaining({ tool_call_id: 'b', is_error: true }),
      { role: 'assistant', content: '', tool_calls: [call('c', 'calc', { expression: '1 / 0' })] },
      expect.objectContaining({ tool_call_id: 'c', is_error: true }),
    ]);
    const sent = scene.lastMessages.map(({ role }) => role);
    expect(prompt?.messages.map(({ role }) => role)).toEqual(sent);
  });

  test('returns no prompt for other entries, and in the list of all entries', async () => {
    const scene = await AgentScene.start();
    const { execution_id: id, logs } = await run(scene);
    expect(logs.filter(({ prompt }) => prompt !== undefined)).toEqual([]);
    const tool = logs.find(({ node_id }) => node_id === 'calc');
    expect((await entry(scene, id, tool?.id ?? 0)).prompt).toBeUndefined();
  });

  test('shows what a call that waits for a person was asked', async () => {
    const scene = await AgentScene.start();
    const answers = [{ calls: [{ name: 'calc', args: { expression: '2 + 2' } }] }];
    const id = await scene.begin({ answers, agent: { approve: ['calc'] } });
    const waiting = (await scene.settled(id)).logs.find(({ status }) => status === 'waiting');
    expect(waiting).toMatchObject({
      input: { expression: '2 + 2' },
      metadata: { tool: 'calc', waits_for: 'approval' },
    });
  });
});
