import { catalogue } from '@millrace/components';
import { chatAnswer, executionDetail } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, it } from 'vitest';
import { completion, credentials, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/workflows/talk/chat/';

interface World {
  readonly running: Running;
  readonly providers: Providers;
  readonly member: Person;
  readonly guest: Person;
}

interface Sketch {
  readonly memory?: JsonObject;
  readonly credential?: number;
}

/** A workflow whose agent answers messages and remembers, and two who may talk to it. */
async function start({ memory = {}, credential = credentials.openai }: Sketch = {}): Promise<World> {
  const providers = await Providers.start();
  const running = await startRunning({ catalogue, endpoints: providers.endpoints() });
  const [member, guest] = [await running.addPerson('member'), await running.addPerson('guest')];
  const workflow = await running.addWorkflow(member.user, 'talk', {
    nodes: {
      start: 'trigger_chat',
      hand: 'trigger_manual',
      ai: ['agent', {}, { system_prompt: 'Be brief.' }],
      gpt: ['ai_model', {}, { llm_credential_id: credential, model_name: 'small' }],
      past: ['conversation_memory', memory],
    },
    edges: 'start -> ai\nhand -> ai\ngpt -llm-> ai\npast -memory-> ai',
  });
  const at = running.time.clock.now();
  await running.store.collaborators.insert({ workflowId: workflow.id, userId: guest.user.id, role: 'editor', at });
  return { running, providers, member, guest };
}

async function say(person: Person, text: string, session_id = 's1') {
  const answer = await person.post(path, { text, session_id });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return chatAnswer.parse(answer.body);
}

/** What the provider was told last, beside the system prompt: `user Hello`. */
function told({ providers }: World): readonly string[] {
  const { messages } = providers.last.body as { messages: readonly { role: string; content: string }[] };
  return messages.filter(({ role }) => role !== 'system').map(({ role, content }) => `${role} ${content}`);
}

const asked = (text: string) => `user ${text}`;
const turn = (text: string) => [asked(text), `assistant You said: ${text}`];

it.each([
  ['the OpenAI-compatible protocol', credentials.openai],
  ['the other protocol', credentials.anthropic],
])('a message is answered with those before it in mind, over %s', async (_what, credential) => {
  const world = await start({ credential });
  await say(world.member, 'one');
  expect(told(world)).toEqual([asked('one')]);
  await say(world.member, 'two');
  const { text, execution_id } = await say(world.member, 'three');
  expect(text).toBe('You said: three');
  expect(told(world)).toEqual([...turn('one'), ...turn('two'), asked('three')]);
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
  // A turn with its answer has 16 bytes or 20: `two` and `three` together 36, of which a token has four.
  ['tokens', { token_window: 9 }, ['two', 'three']],
  ['whichever of the two is less', { turns: 2, token_window: 5 }, ['three']],
  ['tokens, and a turn that is too large is no part of it', { token_window: 4 }, []],
])('no more is remembered than there is room for: %s', async (_what, memory, remembered) => {
  const world = await start({ memory });
  for (const text of ['one', 'two', 'three', 'four']) await say(world.member, text);
  expect(told(world)).toEqual([...remembered.flatMap(turn), asked('four')]);
});

it('nobody hears of what another user said, or what was said in another session', async () => {
  const world = await start();
  await say(world.member, 'of the member', 'same');
  await say(world.guest, 'of the guest', 'same');
  expect(told(world)).toEqual([asked('of the guest')]);
  await say(world.member, 'elsewhere', 'other');
  expect(told(world)).toEqual([asked('elsewhere')]);
  await say(world.member, 'again', 'same');
  expect(told(world)).toEqual([...turn('of the member'), asked('again')]);
});

it('what is forgotten in the history is remembered no more', async () => {
  const world = await start();
  await say(world.member, 'one');
  expect((await world.member.delete(`${path}history/?session_id=s1`)).status).toBe(204);
  await say(world.member, 'two');
  expect(told(world)).toEqual([asked('two')]);
});

it('a message whose execution failed is not remembered, and a retry of it remembers nothing that was said later', async () => {
  const world = await start();
  world.providers.answers(200, completion('1'));
  await say(world.member, 'one');
  world.providers.answers(400, { error: { message: 'Not now.' } });
  const { status, execution_id } = await say(world.member, 'two');
  expect(status).toBe('failed');
  world.providers.answers(200, completion('3'));
  await say(world.member, 'three');
  expect(told(world)).toEqual([asked('one'), 'assistant 1', asked('three')]);
  expect((await world.member.post(`/api/v1/executions/${execution_id}/retry/`)).status).toBe(200);
  await world.running.until(() => world.providers.heard.length === 4);
  expect(told(world)).toEqual([asked('one'), 'assistant 1', asked('two')]);
});

it('an execution that no message started has nothing to remember', async () => {
  const world = await start();
  await say(world.member, 'one');
  const started = await world.member.post('/api/v1/workflows/talk/execute/', {
    trigger_node_id: 'hand',
    payload: 'by hand',
  });
  expect(started.status).toBe(200);
  await world.running.until(() => world.providers.heard.length === 2);
  expect(told(world)).toEqual([asked('by hand')]);
});

it('a replay remembers what its execution could, and nothing that was said later', async () => {
  const world = await start();
  await say(world.member, 'one');
  const { execution_id } = await say(world.member, 'two');
  await say(world.member, 'three');
  const replay = await world.guest.post(`/api/v1/executions/${execution_id}/replay/`, { from_node: 'ai' });
  expect(replay.status).toBe(200);
  await world.running.until(() => world.providers.heard.length === 4);
  expect(told(world)).toEqual([...turn('one'), asked('two')]);
});
