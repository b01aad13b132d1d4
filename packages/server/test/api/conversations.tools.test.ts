import { catalogue } from '@millrace/components';
import { chatAnswer, executionDetail } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { completion, credentials, Providers, type Received } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { scripted } from '../support/scripted-model.ts';

interface Message {
  readonly role: string;
  readonly content: string;
}

const messagesIn = ({ body }: Received) => (body as unknown as { messages: readonly Message[] }).messages;
const isSummary = (received: Received) => messagesIn(received)[0]?.content.includes('Write a summary') === true;

/** A chat with an agent that has a tool, and calls it once for each message. */
class Talk {
  readonly running: Running;
  readonly providers: Providers;
  readonly member: Person;

  private constructor(running: Running, providers: Providers, member: Person) {
    this.running = running;
    this.providers = providers;
    this.member = member;
  }

  /** @param summary the status of the answer to requests for a summary */
  static async start(memory: JsonObject, summary = 200): Promise<Talk> {
    const providers = await Providers.start();
    const running = await startRunning({ catalogue, endpoints: providers.endpoints() });
    const member = await running.addPerson('member');
    await running.addWorkflow(member.user, 'talk', {
      nodes: {
        start: 'trigger_chat',
        ai: ['agent', {}],
        gpt: ['ai_model', {}, { llm_credential_id: credentials.openai, model_name: 'small' }],
        past: ['conversation_memory', memory],
        calc: ['calculator', {}],
      },
      edges: 'start -> ai\ngpt -llm-> ai\npast -memory-> ai\ncalc -tool-> ai',
    });
    providers.answersWith((response, received) => {
      const last = messagesIn(received).at(-1);
      if (isSummary(received)) {
        response.writeHead(summary, { 'content-type': 'application/json' });
        response.end(JSON.stringify(completion('They count.')));
      } else if (last?.role === 'tool') scripted([{ text: `It is ${last.content}.` }])(response, received);
      else scripted([{ calls: [{ name: 'calc', args: { expression: last?.content } }] }])(response, received);
    });
    return new Talk(running, providers, member);
  }

  /** Returns the id of the execution and what its model calls were sent. */
  async say(text: string) {
    const before = this.providers.received.length;
    const answer = await this.member.post('/api/v1/workflows/talk/chat/', { text, session_id: 's' });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    const { execution_id: id } = chatAnswer.parse(answer.body);
    return { id, ...this.since(before) };
  }

  since(before: number) {
    const requests = this.providers.received.slice(before);
    const calls = requests.filter((received) => !isSummary(received));
    return {
      summaries: requests.length - calls.length,
      calls: calls.map((received) =>
        messagesIn(received).map(({ role, content }) => `${role} ${content ?? ''}`.trim()),
      ),
    };
  }

  async detail(id: string) {
    return executionDetail.parse((await this.member.get(`/api/v1/executions/${id}/`)).body);
  }
}

const turn = (text: string, result: number) => [`user ${text}`, `assistant It is ${result}.`];
const summary = ['user Summary of our earlier conversation:\nThey count.', 'assistant I remember.'];
/** What both model calls of a message get after what is remembered. */
const work = (text: string, result: number) => [[`user ${text}`], [`user ${text}`, 'assistant', `tool ${result}`]];

test('an agent with tools remembers messages and answers, and not the calls of tools', async () => {
  const talk = await Talk.start({});
  expect(await talk.say('1 + 1')).toMatchObject({ summaries: 0, calls: work('1 + 1', 2) });
  await talk.say('1 + 2');
  const { id, calls } = await talk.say('1 + 3');
  const remembered = [...turn('1 + 1', 2), ...turn('1 + 2', 3)];
  expect(calls).toEqual(work('1 + 3', 4).map((messages) => [...remembered, ...messages]));
  const { logs } = await talk.detail(id);
  expect(logs.filter(({ node_id }) => node_id === 'gpt').map(({ metadata }) => metadata)).toMatchObject([
    { agent: 'ai', remembered_turns: 2 },
    { agent: 'ai', remembered_turns: 2 },
  ]);
});

test('the prompt of a call of the model is shown with what was remembered, as long as the chat is stored', async () => {
  const talk = await Talk.start({});
  await talk.say('1 + 1');
  const { id, calls } = await talk.say('1 + 3');
  const { logs } = await talk.detail(id);
  const shown = async () => {
    const entry = logs.findLast(({ node_id }) => node_id === 'gpt')?.id;
    const { body } = await talk.member.get(`/api/v1/executions/${id}/?log=${entry}`);
    const messages = executionDetail.parse(body).logs[0]?.prompt?.messages ?? [];
    return messages.map(({ role, content }) => `${role} ${content ?? ''}`.trim());
  };
  expect(await shown()).toEqual(calls[1]);
  await talk.member.delete('/api/v1/workflows/talk/chat/history/');
  expect(await shown()).toEqual(work('1 + 3', 4)[1]);
});

test('a window of tokens limits what an agent with tools remembers', async () => {
  // A turn has 14 bytes; a token has four.
  const talk = await Talk.start({ token_window: 7 });
  for (const text of ['1 + 1', '1 + 2', '1 + 3']) await talk.say(text);
  const { calls } = await talk.say('1 + 4');
  expect(calls[1]).toEqual([...turn('1 + 2', 3), ...turn('1 + 3', 4), ...(work('1 + 4', 5)[1] ?? [])]);
});

test('a summary is requested once for an answer with several model calls, and a replay requests none', async () => {
  const talk = await Talk.start({ turns: 1, summarize: true });
  for (const text of ['1 + 1', '1 + 2']) expect((await talk.say(text)).summaries).toBe(0);
  const { id, summaries, calls } = await talk.say('1 + 3');
  const sent = work('1 + 3', 4).map((messages) => [...summary, ...turn('1 + 2', 3), ...messages]);
  expect([summaries, calls]).toEqual([1, sent]);
  expect(await talk.detail(id)).toMatchObject({ llm_calls: 3 });
  await talk.say('1 + 4');
  const before = talk.providers.received.length;
  await talk.member.post(`/api/v1/executions/${id}/replay/`, { from_node: 'ai' });
  await talk.running.until(() => talk.providers.received.length === before + 2);
  expect(talk.since(before)).toEqual({ summaries: 0, calls: sent });
});

test('a summary that fails is requested again for the next message only', async () => {
  const talk = await Talk.start({ turns: 1, summarize: true }, 400);
  for (const text of ['1 + 1', '1 + 2']) await talk.say(text);
  const { summaries, calls } = await talk.say('1 + 3');
  expect([summaries, calls]).toEqual([1, work('1 + 3', 4).map((messages) => [...turn('1 + 2', 3), ...messages])]);
  expect((await talk.say('1 + 4')).summaries).toBe(1);
});
