import type { ServerResponse } from 'node:http';
import { catalogue } from '@millrace/components';
import { chatAnswer, executionDetail } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, it } from 'vitest';
import { completion, credentials, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { Socket } from '../support/socket.ts';

const path = '/api/v1/workflows/talk/chat/';

interface World {
  readonly running: Running;
  readonly providers: Providers;
  readonly member: Person;
  readonly visitor: Person;
}

interface Sketch {
  readonly memory?: JsonObject;
  readonly credential?: number;
  /** Common config of the agent. */
  readonly common?: JsonObject;
  /** A respond node sends the agent's text, and the run fails after it. */
  readonly failsLater?: boolean;
}

const failing = {
  nodes: {
    send: ['respond', { body: 'Sent: {{ ai.output }}' }],
    check: ['assertion', { rules: [{ id: 'r', field: 'trigger.text', operator: 'equals', value: 'other' }] }],
  },
  edges: '\nai -> send\nsend -> check',
} as const;

/** A workflow with an agent that remembers the conversation, and two users who may send it messages. */
async function start({
  memory = {},
  credential = credentials.openai,
  common = {},
  failsLater = false,
}: Sketch = {}): Promise<World> {
  const providers = await Providers.start();
  const running = await startRunning({ catalogue, endpoints: providers.endpoints() });
  const [member, visitor] = [await running.addPerson('member'), await running.addPerson('visitor')];
  const workflow = await running.addWorkflow(member.user, 'talk', {
    nodes: {
      start: 'trigger_chat',
      hand: 'trigger_manual',
      ai: ['agent', {}, { system_prompt: 'Be brief.', ...common }],
      gpt: ['ai_model', {}, { llm_credential_id: credential, model_name: 'small' }],
      past: ['conversation_memory', memory],
      ...(failsLater && failing.nodes),
    },
    edges: `start -> ai\nhand -> ai\ngpt -llm-> ai\npast -memory-> ai${failsLater ? failing.edges : ''}`,
  });
  const at = running.time.clock.now();
  await running.store.collaborators.insert({ workflowId: workflow.id, userId: visitor.user.id, role: 'editor', at });
  return { running, providers, member, visitor };
}

async function say(person: Person, text: string, session_id = 's1') {
  const answer = await person.post(path, { text, session_id });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return chatAnswer.parse(answer.body);
}

/** The last messages that the provider received, without the system prompt: `user Hello`. */
function receivedTexts({ providers }: World): readonly string[] {
  const { messages } = providers.last.body as { messages: readonly { role: string; content: string }[] };
  return messages.filter(({ role }) => role !== 'system').map(({ role, content }) => `${role} ${content}`);
}

const asked = (text: string) => `user ${text}`;
const turn = (text: string) => [asked(text), `assistant You said: ${text}`];

it.each([
  ['the OpenAI-compatible protocol', credentials.openai],
  ['the other protocol', credentials.anthropic],
])('a message is answered with the earlier ones as context, over %s', async (_what, credential) => {
  const world = await start({ credential });
  await say(world.member, 'one');
  expect(receivedTexts(world)).toEqual([asked('one')]);
  await say(world.member, 'two');
  const { text, execution_id } = await say(world.member, 'three');
  expect(text).toBe('You said: three');
  expect(receivedTexts(world)).toEqual([...turn('one'), ...turn('two'), asked('three')]);
  const { logs } = executionDetail.parse((await world.member.get(`/api/v1/executions/${execution_id}/`)).body);
  expect(logs.find(({ node_id }) => node_id === 'ai')).toMatchObject({
    metadata: { remembered_turns: 2 },
    output: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'three' },
        { role: 'assistant', content: 'You said: three' },
      ],
    },
  });
});

it.each<[string, JsonObject, readonly string[]]>([
  ['turns', { turns: 1 }, ['three']],
  // A turn with its answer has 16 or 20 bytes: `two` and `three` together 36. A token has four bytes.
  ['tokens', { token_window: 9 }, ['two', 'three']],
  ['turns and tokens, of which the smaller limit applies', { turns: 2, token_window: 5 }, ['three']],
  // `two` alone fits; `three` is larger than the window.
  ['tokens, without a turn that is larger than the window', { token_window: 4 }, ['two']],
])('an agent remembers no more turns than fit: %s', async (_what, memory, remembered) => {
  const world = await start({ memory });
  for (const text of ['one', 'two', 'three', 'four']) await say(world.member, text);
  expect(receivedTexts(world)).toEqual([...remembered.flatMap(turn), asked('four')]);
});

it('messages of another user or another session are not remembered', async () => {
  const world = await start();
  await say(world.member, 'of the member', 'same');
  await say(world.visitor, 'of the visitor', 'same');
  expect(receivedTexts(world)).toEqual([asked('of the visitor')]);
  await say(world.member, 'elsewhere', 'other');
  expect(receivedTexts(world)).toEqual([asked('elsewhere')]);
  await say(world.member, 'again', 'same');
  expect(receivedTexts(world)).toEqual([...turn('of the member'), asked('again')]);
});

it('messages deleted from the history are not remembered', async () => {
  const world = await start();
  await say(world.member, 'one');
  expect((await world.member.delete(`${path}history/?session_id=s1`)).status).toBe(204);
  await say(world.member, 'two');
  expect(receivedTexts(world)).toEqual([asked('two')]);
});

it('a message whose execution failed is not remembered, and its retry remembers nothing that was sent later', async () => {
  const world = await start();
  world.providers.answers(200, completion('1'));
  await say(world.member, 'one');
  world.providers.answers(400, { error: { message: 'Not now.' } });
  const { status, execution_id } = await say(world.member, 'two');
  expect(status).toBe('failed');
  world.providers.answers(200, completion('3'));
  await say(world.member, 'three');
  expect(receivedTexts(world)).toEqual([asked('one'), 'assistant 1', asked('three')]);
  expect((await world.member.post(`/api/v1/executions/${execution_id}/retry/`)).status).toBe(200);
  await world.running.until(() => world.providers.received.length === 4);
  expect(receivedTexts(world)).toEqual([asked('one'), 'assistant 1', asked('two')]);
});

it('the response of a respond node is remembered, even if its execution failed later', async () => {
  const world = await start({ failsLater: true });
  const { text, execution_id } = await say(world.member, 'one');
  expect(text).toBe('Sent: You said: one');
  await world.running.settle();
  const { body } = await world.member.get(`/api/v1/executions/${execution_id}/`);
  expect(body).toMatchObject({ status: 'failed' });
  await say(world.member, 'two');
  expect(receivedTexts(world)).toEqual([asked('one'), 'assistant Sent: You said: one', asked('two')]);
});

it('an execution that was not started by a message remembers nothing', async () => {
  const world = await start();
  await say(world.member, 'one');
  const started = await world.member.post('/api/v1/workflows/talk/execute/', {
    trigger_node_id: 'hand',
    payload: 'by hand',
  });
  expect(started.status).toBe(200);
  await world.running.until(() => world.providers.received.length === 2);
  expect(receivedTexts(world)).toEqual([asked('by hand')]);
});

it('a replay remembers what its execution remembered, and nothing that was sent later', async () => {
  const world = await start();
  await say(world.member, 'one');
  const { execution_id } = await say(world.member, 'two');
  await say(world.member, 'three');
  const replay = await world.visitor.post(`/api/v1/executions/${execution_id}/replay/`, { from_node: 'ai' });
  expect(replay.status).toBe(200);
  await world.running.until(() => world.providers.received.length === 4);
  expect(receivedTexts(world)).toEqual([...turn('one'), asked('two')]);
});

const summary = ['user Summary of our earlier conversation:\nThey count.', 'assistant I remember.'];

/** Makes the provider write summaries, and answer everything else as usual. */
function summarises({ providers }: World, write: (response: ServerResponse) => void): void {
  providers.answersWith((response, received) => {
    const { messages } = received.body as { messages: readonly { role: string; content: string }[] };
    if (messages[0]?.content.includes('Write a summary')) write(response);
    else providers.speak(response, received);
  });
}

function sends(status: number, body: object): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

/** The texts that the provider received to summarise. */
function summarised({ providers }: World): readonly string[] {
  const all = providers.received.map(({ body }) => body as { messages: readonly { content: string }[] });
  return all.flatMap(({ messages: [system, asked] }) =>
    system?.content.includes('Write a summary') ? [asked?.content ?? ''] : [],
  );
}

it('older turns become a summary, once for each half of a window, and a replay uses the same summary', async () => {
  const world = await start({ memory: { turns: 2, summarize: true } });
  summarises(world, sends(200, completion('They count.')));
  const ids: string[] = [];
  for (const text of ['one', 'two', 'three', 'four', 'five']) ids.push((await say(world.member, text)).execution_id);
  const [one, two, three, four] = ['one', 'two', 'three', 'four'].map(
    (text) => `User:\n${text}\n\nAssistant:\nYou said: ${text}`,
  );
  expect(receivedTexts(world)).toEqual([...summary, ...turn('three'), ...turn('four'), asked('five')]);
  expect(summarised(world)).toEqual([`${one}\n\n${two}`]);
  await say(world.member, 'six');
  expect(receivedTexts(world)).toEqual([...summary, ...turn('five'), asked('six')]);
  expect(summarised(world)[1]).toBe(`Summary of the earlier conversation:\nThey count.\n\n${three}\n\n${four}`);
  const count = world.providers.received.length;
  await world.member.post(`/api/v1/executions/${ids[4]}/replay/`, { from_node: 'ai' });
  await world.running.until(() => world.providers.received.length > count);
  expect(receivedTexts(world)).toEqual([...summary, ...turn('three'), ...turn('four'), asked('five')]);
});

it('a summary counts in the usage of its execution, and is requested without the format and the limit of the answer', async () => {
  const common = { max_tokens: 50, response_format: { type: 'json_object' } };
  const world = await start({ memory: { turns: 1, summarize: true }, common });
  summarises(world, sends(200, completion('They count.')));
  for (const text of ['one', 'two']) await say(world.member, text);
  const { execution_id } = await say(world.member, 'three');
  expect(receivedTexts(world)).toEqual([...summary, ...turn('two'), asked('three')]);
  const run = executionDetail.parse((await world.member.get(`/api/v1/executions/${execution_id}/`)).body);
  expect(run).toMatchObject({ llm_calls: 2, total_tokens: 34 });
  expect(run.logs.find(({ node_id }) => node_id === 'ai')).toMatchObject({
    metadata: { remembered_turns: 1, remembered_summary: true },
  });
  const bodies = world.providers.received.slice(-2).map(({ body }) => Object.keys(body ?? {}));
  expect(bodies).toEqual([
    ['model', 'messages', 'stream'],
    ['model', 'messages', 'stream', 'max_tokens', 'response_format'],
  ]);
});

it('subscribers to the answer receive nothing of the summary', async () => {
  const world = await start({ memory: { turns: 1, summarize: true } });
  for (const text of ['one', 'two']) await say(world.member, text);
  const socket = await Socket.open(`ws://${await world.running.listen()}/ws/?token=${world.member.key}`);
  expect(await socket.subscribe('workflow:talk')).toMatchObject({ type: 'subscribed' });
  await say(world.member, 'three');
  expect(world.providers.received.slice(-2)).toMatchObject([{ body: { stream: false } }, { body: { stream: true } }]);
});

it('a summary that fails does not prevent the answer, and is requested again with the next message', async () => {
  const world = await start({ memory: { turns: 1, summarize: true } });
  summarises(world, sends(400, { error: { message: 'Too long.' } }));
  for (const text of ['one', 'two']) await say(world.member, text);
  expect(await say(world.member, 'three')).toMatchObject({ status: 'completed', text: 'You said: three' });
  expect(receivedTexts(world)).toEqual([...turn('two'), asked('three')]);
  summarises(world, sends(200, completion('They count.')));
  await say(world.member, 'four');
  expect(receivedTexts(world)).toEqual([...summary, ...turn('three'), asked('four')]);
});

it('a summary of one user is not used for another', async () => {
  const world = await start({ memory: { turns: 1, summarize: true } });
  summarises(world, sends(200, completion('They count.')));
  for (const text of ['one', 'two', 'three']) await say(world.member, text, 'same');
  await say(world.visitor, 'mine', 'same');
  expect(receivedTexts(world)).toEqual([asked('mine')]);
});
