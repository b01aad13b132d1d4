import type { JsonObject } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { AgentScene, type Conversation, ways } from '../support/agent-scene.ts';
import type { ScriptedAnswer } from '../support/scripted-model.ts';

const sum: ScriptedAnswer = { calls: [{ name: 'calc', args: { expression: '6 * 7' } }] };

/** A tool that loads a URL with one argument. */
function loading(url: string): readonly [string, JsonObject] {
  const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  return ['http_request', { url, tool: { parameters } }];
}

interface Case extends Conversation {
  readonly about: string;
  /** The end of the run: its output, or the code of its failure. */
  readonly output?: string;
  readonly fails?: string;
  /** What the last request to the model contains. */
  readonly sent?: readonly string[];
  readonly not?: readonly string[];
  readonly requests?: number;
}

const cases: readonly Case[] = [
  {
    about: 'calls several tools at once and gets the results in the order of the calls',
    answers: [
      {
        calls: [
          { id: 'a', name: 'calc', args: { expression: '1 + 1' } },
          { id: 'b', name: 'when', args: { operation: 'format', value: '2026-01-01T00:00:00Z', format: 'yyyy' } },
        ],
      },
      { text: 'Both.' },
    ],
    tools: { calc: ['calculator', {}], when: ['datetime', {}] },
    output: 'Both.',
    sent: ['"2"', '"2026"'],
  },
  {
    about: 'gives calls with one id ids of their own',
    answers: [
      {
        calls: [
          { id: 'same', name: 'calc', args: { expression: '1' } },
          { id: 'same', name: 'calc', args: { expression: '2' } },
        ],
      },
      { text: 'Fine.' },
    ],
    output: 'Fine.',
    sent: ['"same"', '"call_2"'],
  },
  {
    about: 'that calls an unknown tool gets the names of its tools',
    answers: [{ calls: [{ name: 'search', args: {} }] }, { text: 'Sorry.' }],
    output: 'Sorry.',
    sent: ["Error tool_unknown: There is no tool 'search'. Available: calc."],
  },
  {
    about: 'that sends arguments of a wrong type may correct them',
    answers: [{ calls: [{ name: 'calc', args: { expression: 5 } }] }, sum, { text: '42' }],
    output: '42',
    sent: ['Error tool_arguments: The arguments are invalid'],
    requests: 3,
  },
  {
    about: 'that sends an argument that the tool does not have gets the reason',
    answers: [{ calls: [{ name: 'calc', args: { expression: '1', precision: 3 } }] }, { text: 'I see.' }],
    output: 'I see.',
    sent: ['Error tool_arguments'],
  },
  {
    about: 'gets the failure of a tool as its result',
    answers: [{ calls: [{ name: 'calc', args: { expression: '1 / 0' } }] }, { text: 'Impossible.' }],
    output: 'Impossible.',
    sent: ['Error expression: '],
  },
  {
    about: 'fails with a tool whose node stops on errors',
    answers: [{ calls: [{ name: 'calc', args: { expression: '1 / 0' } }] }],
    tools: { calc: ['calculator', { on_error: 'stop' }] },
    fails: 'expression',
  },
  { about: 'fails if the model declines', answers: [sum, { stop: 'refusal' }], fails: 'model_refused' },
  {
    about: 'makes no call of an answer that was cut off',
    answers: [{ ...sum, stop: 'length' }],
    fails: 'model_output',
    requests: 1,
  },
  {
    about: 'gets the beginning of a long result, with a note',
    answers: [{ calls: [{ name: 'load', args: {} }] }, { text: 'Long.' }],
    agent: { result_limit: 100 },
    tools: { load: ['http_request', { url: 'https://example.com/long' }] },
    output: 'Long.',
    sent: ['x'.repeat(100), '[Only the first 100 of 5000 characters of this result are shown.]'],
    not: ['x'.repeat(101)],
  },
  { about: 'asks again after status 429', answers: [sum, { status: 429 }, { text: '42' }], output: '42', requests: 3 },
  { about: 'asks again after status 500', answers: [{ status: 500 }, sum, { text: '42' }], output: '42', requests: 3 },
  {
    about: 'fails at max_steps',
    answers: [sum, sum, sum],
    agent: { max_steps: 2 },
    fails: 'agent_limit',
    requests: 2,
  },
  {
    about: 'answers at max_steps without a further call of a tool, if it may',
    answers: [sum, sum, { text: 'About 42.' }],
    agent: { max_steps: 2, on_limit: 'answer' },
    output: 'About 42.',
    sent: ['"none"'],
    requests: 3,
  },
  {
    about: 'fails at its budget of tool calls',
    answers: [sum, sum],
    agent: { budgets: { tool_calls: 1 } },
    fails: 'agent_limit',
  },
  {
    about: 'fails at its budget of tokens',
    answers: [sum],
    agent: { budgets: { tokens: 14 } },
    fails: 'agent_limit',
    requests: 1,
  },
  {
    about: 'fails at its budget of dollars',
    answers: [sum],
    agent: { budgets: { usd: 0.000018 } },
    fails: 'agent_limit',
    requests: 1,
  },
  {
    about: 'sends the reasoning of the model back',
    answers: [{ ...sum, thinking: 'Six times seven.', text: 'I calculate.' }, { text: '42' }],
    output: '42',
    sent: ['Six times seven.'],
  },
  {
    about: 'makes the first model call as tool_choice says',
    answers: [{ text: 'No tool.' }],
    agent: { tool_choice: 'calc' },
    output: 'No tool.',
    sent: ['"tool_choice":{'],
  },
  {
    about: 'leaves the choice to the model from the second call on',
    answers: [sum, { text: '42' }],
    agent: { tool_choice: 'required' },
    output: '42',
    not: ['"required"]', '"any"'],
  },
  {
    about: 'asks for one call at a time with parallel 1',
    answers: [{ text: 'Hm.' }],
    agent: { parallel: 1 },
    output: 'Hm.',
    sent: ['parallel_tool'],
  },
  {
    about: 'with two tools of one name fails before it asks the model',
    answers: [],
    tools: { calc: ['calculator', {}], other: ['calculator', { tool: { name: 'calc' } }] },
    fails: 'tool_names',
    requests: 0,
  },
  {
    about: 'that names an unknown tool in its config fails before it asks the model',
    answers: [],
    agent: { approve: ['mail'] },
    fails: 'config',
    requests: 0,
  },
  {
    about: 'puts the arguments that a tool describes into its config, encoded',
    answers: [{ calls: [{ name: 'load', args: { name: 'a/b?{{ 1 + 1 }}' } }] }, { text: 'Done.' }],
    tools: { load: loading('https://example.com/people/{{ args.name }}') },
    output: 'Done.',
    sent: ['GET https://example.com/people/a%2Fb%3F%7B%7B%201%20%2B%201%20%7D%7D'],
  },
  {
    about: 'sends no request to a host that an argument names',
    answers: [{ calls: [{ name: 'load', args: { name: 'evil.example/' } }] }, { text: 'No.' }],
    tools: { load: loading('https://{{ args.name }}') },
    output: 'No.',
    sent: ['Error http_blocked'],
  },
  {
    about: 'sends no request above the folder of a URL',
    answers: [{ calls: [{ name: 'load', args: { name: '..' } }] }, { text: 'No.' }],
    tools: { load: loading('https://example.com/people/{{ args.name }}/notes') },
    output: 'No.',
    sent: ["Error expression: url: The value '..' would lead to another path"],
  },
];

/** Cases whose messages to the model differ by protocol. All others have one way here; `npm run test:agents` runs all. */
const ofProtocol: ReadonlySet<string> = new Set([
  'calls several tools at once and gets the results in the order of the calls',
  'gives calls with one id ids of their own',
  'fails if the model declines',
  'makes no call of an answer that was cut off',
  'answers at max_steps without a further call of a tool, if it may',
  'sends the reasoning of the model back',
  'makes the first model call as tool_choice says',
  'asks for one call at a time with parallel 1',
]);
const casesOf = (way: (typeof ways)[number]): readonly Case[] =>
  way === ways[0] || process.env.AGENT_CASES === 'all' ? cases : cases.filter(({ about }) => ofProtocol.has(about));

describe.each(ways)('an agent ($name)', (way) => {
  test('calls a tool and answers with its result', async () => {
    const scene = await AgentScene.start();
    const run = await scene.run({ answers: [sum, { text: 'It is 42.' }] }, way);
    expect(run).toMatchObject({ status: 'completed', final_output: 'It is 42.', llm_calls: 2, total_tokens: 28 });
    const log = run.logs.map(({ node_id, frame, status }) => [frame, node_id, status]);
    expect(log).toEqual([
      ['', 'start', 'success'],
      ['ai[0]', 'gpt', 'success'],
      ['ai[1]', 'calc', 'success'],
      ['ai[2]', 'gpt', 'success'],
      ['', 'ai', 'success'],
    ]);
    expect(JSON.stringify(scene.lastMessages)).toContain('42');
    expect(scene.providers.last.body?.stream ?? false).toBe(way.isStreamed);
  });

  test.each(casesOf(way))('$about', async ({ output, fails, sent = [], not = [], requests, ...conversation }) => {
    const scene = await AgentScene.start();
    const run = await scene.run(conversation, way);
    const end = run.logs.at(-1);
    if (fails === undefined)
      expect(run, run.error_message ?? '').toMatchObject({ status: 'completed', final_output: output });
    else expect([end?.node_id, end?.error_code], run.error_message ?? '').toEqual(['ai', fails]);
    if (requests !== undefined) expect(scene.providers.received).toHaveLength(requests);
    const last = JSON.stringify(scene.providers.received.at(-1)?.body ?? null);
    for (const text of sent) expect(last).toContain(text);
    for (const text of not) expect(last).not.toContain(text);
  });
});

/** Two calls of one tool at once. */
const both: ScriptedAnswer = {
  calls: [
    { id: 'a', name: 'calc', args: { expression: '1 + 1' } },
    { id: 'b', name: 'calc', args: { expression: '2 + 2' } },
  ],
};

describe('calls that a person approves', () => {
  const answer = (scene: AgentScene, id: string, frame: string, confirmed: boolean, response = '') =>
    scene.person.post(`/api/v1/executions/${id}/resume/`, { node_id: 'calc', frame, confirmed, response });

  test('are questions of their own with the arguments, and each gets its own answer', async () => {
    const scene = await AgentScene.start();
    const id = await scene.begin({ answers: [both, { text: 'One of two.' }], agent: { approve: ['calc'] } });
    const asked = await scene.settled(id);
    expect(asked.status).toBe('interrupted');
    const questions = asked.logs.filter(({ status }) => status === 'waiting');
    expect(questions.map(({ node_id, frame }) => [node_id, frame])).toEqual([
      ['calc', 'ai[1]'],
      ['calc', 'ai[2]'],
    ]);
    const { body } = await scene.person.get(`/api/v1/executions/${id}/`);
    expect(JSON.stringify(body)).toContain(`Run tool 'calc' with {\\"expression\\":\\"2 + 2\\"}?`);
    expect((await answer(scene, id, 'ai[2]', true)).status).toBe(200);
    expect((await answer(scene, id, 'ai[1]', false, 'Not that one.')).status).toBe(200);
    expect(await scene.settled(id)).toMatchObject({ status: 'completed', final_output: 'One of two.' });
    expect(scene.lastMessages.slice(-2)).toMatchObject([
      { tool_call_id: 'a', content: expect.stringContaining('so it was not made: Not that one.') },
      { tool_call_id: 'b', content: '4' },
    ]);
  });

  test('are declined after approve_seconds', async () => {
    const scene = await AgentScene.start();
    const agent = { approve: ['*'], approve_seconds: 3600 };
    const id = await scene.begin({ answers: [sum, { text: 'Nobody answered.' }], agent });
    expect((await scene.settled(id)).status).toBe('interrupted');
    scene.running.time.advance(3_601_000);
    expect(await scene.settled(id)).toMatchObject({ status: 'completed', final_output: 'Nobody answered.' });
    expect(JSON.stringify(scene.lastMessages)).toContain('Error tool_declined: Nobody approved this call in time');
  });

  test('are those that act outside after a tool has returned what people outside wrote, with a guard', async () => {
    const scene = await AgentScene.start();
    const post = { method: 'POST', url: 'https://example.com/orders', body: { n: 1 } };
    const id = await scene.begin({
      answers: [{ calls: [{ name: 'load', args: {} }] }, { calls: [{ name: 'order', args: {} }] }],
      agent: { guard: 'after_untrusted' },
      tools: { load: ['http_request', { url: 'https://example.com/' }], order: ['http_request', post] },
    });
    expect((await scene.settled(id)).status).toBe('interrupted');
  });

  test('end with the run when it is cancelled', async () => {
    const scene = await AgentScene.start();
    const id = await scene.begin({ answers: [sum], agent: { approve: ['calc'] } });
    await scene.settled(id);
    expect((await scene.person.post(`/api/v1/executions/${id}/cancel/`)).status).toBe(200);
    expect((await scene.settled(id)).status).toBe('cancelled');
  });
});

describe('a run with an agent that failed', () => {
  test('continues with the failed call of the model when it is retried, and makes no other call again', async () => {
    const scene = await AgentScene.start();
    const id = await scene.begin({ answers: [sum, { status: 401 }, { text: '42' }] });
    expect(await scene.settled(id)).toMatchObject({ status: 'failed' });
    expect((await scene.person.post(`/api/v1/executions/${id}/retry/`)).status).toBe(200);
    expect(await scene.settled(id)).toMatchObject({ status: 'completed', final_output: '42' });
    expect(scene.providers.received).toHaveLength(3);
  });
});

test('a workflow as a tool gets the arguments as its payload, and its output is the result', async () => {
  const scene = await AgentScene.start();
  await scene.running.addWorkflow(scene.person.user, 'find', {
    fields: { inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] } },
    nodes: {
      called: 'trigger_workflow',
      say: ['template', { template: 'Order {{ trigger.payload.number }} is sent.' }],
    },
    edges: 'called -> say',
  });
  const run = await scene.run({
    answers: [
      { calls: [{ name: 'find', args: { number: 'x' } }] },
      { calls: [{ name: 'find', args: { number: 7 } }] },
      { text: 'It is sent.' },
    ],
    tools: { find: ['workflow_tool', { workflow: 'find' }] },
  });
  expect(run).toMatchObject({ status: 'completed', final_output: 'It is sent.' });
  const sent = JSON.stringify(scene.lastMessages);
  expect(sent).toContain('Error tool_arguments');
  expect(sent).toContain('Order 7 is sent.');
});
