import { catalogue } from '@millrace/components';
import { apiKeyList, executionList } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { credentials, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { type ScriptedAnswer, scripted } from '../support/scripted-model.ts';

const path = '/api/v1/workflows/talk/chat/';

let running: Running;
let providers: Providers;
let person: Person;
beforeEach(async () => {
  providers = await Providers.start();
  running = await startRunning({ catalogue, endpoints: providers.endpoints() });
  person = await running.addPerson('member');
});

interface Scene {
  readonly answers: readonly ScriptedAnswer[];
  readonly agent?: object;
  readonly trigger?: object;
}

/** A workflow whose agent has a calculator. */
async function addAgent({ answers, agent = {}, trigger = {} }: Scene): Promise<void> {
  providers.answersWith(scripted(answers));
  await running.addWorkflow(person.user, 'talk', {
    nodes: {
      start: ['trigger_chat', { ...trigger }],
      ai: ['agent', { ...agent }],
      gpt: ['ai_model', {}, { llm_credential_id: credentials.openai, model_name: 'small' }],
      calc: ['calculator', {}],
    },
    edges: 'start -> ai\ngpt -llm-> ai\ncalc -tool-> ai',
  });
}

const sum: ScriptedAnswer = { calls: [{ name: 'calc', args: { expression: '6 * 7' } }] };

function stream(by: Person = person): Promise<Answer> {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
  return by.inject({ method: 'POST', url: path, headers, payload: JSON.stringify({ text: 'Hi', session_id: 's' }) });
}

interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function eventsIn({ text }: Answer): readonly StreamEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event = '', data = ''] = block.split('\n');
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
}

/** The stream when it has ended. Text of the model is sent in virtual time. */
async function whole(streamed: Promise<Answer>): Promise<readonly StreamEvent[]> {
  let answer: Answer | null = null;
  void streamed.then((received) => {
    answer = received;
  });
  await running.until(() => {
    running.time.advance(1);
    return answer !== null;
  });
  return eventsIn(await streamed);
}

/** The id of the execution that waits for a person, once it does. */
async function interrupted(): Promise<string> {
  for (let turn = 0; turn < 20_000; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turn % 50 !== 49) continue;
    running.time.advance(1);
    const { body } = await person.get('/api/v1/executions/?status=interrupted');
    const [first] = executionList.parse(body).items;
    if (first !== undefined) return first.execution_id;
  }
  throw new Error('no execution waits for a person');
}

describe('a message whose answer is streamed', () => {
  it('is answered with the text of the model, the calls of tools and the answer, in order', async () => {
    await addAgent({ answers: [sum, { text: 'It is 42.' }] });
    const streamed = stream();
    const events = await whole(streamed);
    const answer = await streamed;
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const execution_id = events[0]?.data.execution_id;
    const step = { node_id: 'calc', frame: 'ai[1]', attempt: 1, call: 1, tool: 'calc', duration_ms: 0 };
    expect(events.filter(({ event }) => event !== 'token')).toEqual([
      { event: 'start', data: { execution_id, session_id: 's' } },
      { event: 'tool', data: { ...step, status: 'success' } },
      {
        event: 'answer',
        data: {
          execution_id,
          workflow_slug: 'talk',
          session_id: 's',
          status: 'completed',
          text: 'It is 42.',
          error_message: null,
        },
      },
    ]);
    const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => data);
    expect(tokens.map(({ text }) => text).join('')).toBe('It is 42.');
    expect(tokens[0]).toMatchObject({ node_id: 'ai', frame: '', attempt: 1, call: 2, offset: 0 });
    expect(events.at(-1)?.event).toBe('answer');
  });

  it('shows a call that waits for a person, and then the answer', async () => {
    await addAgent({ answers: [sum, { text: 'Done.' }], agent: { approve: ['calc'] } });
    const streamed = stream();
    const id = await interrupted();
    const answer = { node_id: 'calc', frame: 'ai[1]', confirmed: true };
    expect(await person.post(`/api/v1/executions/${id}/resume/`, answer)).toMatchObject({ status: 200 });
    const events = await whole(streamed);
    expect(events.find(({ event }) => event === 'approval')?.data).toEqual({
      node_id: 'calc',
      frame: 'ai[1]',
      call: 1,
      tool: 'calc',
      prompt: expect.stringContaining('calc'),
    });
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { text: 'Done.' } });
  });

  it('ends with an error if the run fails', async () => {
    await addAgent({ answers: [{ status: 400 }] });
    const events = await whole(stream());
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { status: 'failed', text: null } });
    expect(events.at(-1)?.data.error_message).toContain('ai');
  });

  it('ends with what is known when the time of the trigger has passed', async () => {
    await addAgent({ answers: [sum, { text: 'Done.' }], agent: { approve: ['calc'] }, trigger: { timeout: 5 } });
    const streamed = stream();
    await interrupted();
    running.time.advance(5000);
    expect((await whole(streamed)).at(-1)).toMatchObject({
      event: 'answer',
      data: { status: 'running', text: null, error_message: null },
    });
  });

  it('ends when the key is revoked, and the run continues', async () => {
    await addAgent({ answers: [sum, { text: 'Done.' }], agent: { approve: ['calc'] } });
    const streamed = stream();
    await interrupted();
    const { id: key } = apiKeyList.parse((await person.get('/api/v1/users/me/keys/')).body)[0] ?? { id: 0 };
    expect(await person.delete(`/api/v1/users/me/keys/${key}/`)).toMatchObject({ status: 204 });
    expect((await whole(streamed)).at(-1)).toEqual({
      event: 'error',
      data: { detail: 'The API key or the session is no longer valid.' },
    });
  });

  it('that cannot be accepted is answered with a status', async () => {
    await running.addWorkflow(person.user, 'talk', { nodes: { start: 'trigger_manual' } });
    const answer = await stream();
    expect([answer.status, answer.body]).toEqual([422, { detail: "Workflow 'talk' has no active trigger_chat." }]);
  });
});
