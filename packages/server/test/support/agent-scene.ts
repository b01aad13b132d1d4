import { catalogue } from '@millrace/components';
import { executionDetail } from '@millrace/contract';
import type { JsonObject, OutboundRequest, OutboundResponse } from '@millrace/core';
import { expect } from 'vitest';
import type { z } from 'zod';
import { credentials, Providers } from './providers.ts';
import { type Person, type Running, startRunning } from './running.ts';
import { type ScriptedAnswer, scripted } from './scripted-model.ts';
import { Socket } from './socket.ts';

type Detail = z.infer<typeof executionDetail>;

/** How a model answers: the protocol, and whether somebody watches, so that answers are streamed. */
export const ways = [
  { name: 'whole, first protocol', credential: credentials.openai, isStreamed: false },
  { name: 'streamed, first protocol', credential: credentials.openai, isStreamed: true },
  { name: 'whole, second protocol', credential: credentials.anthropic, isStreamed: false },
  { name: 'streamed, second protocol', credential: credentials.anthropic, isStreamed: true },
] as const;

export interface Conversation {
  readonly answers: readonly ScriptedAnswer[];
  readonly agent?: JsonObject;
  readonly tools?: Readonly<Record<string, readonly [type: string, extra: JsonObject]>>;
}

/** The request as the response of a server; a long text for one path. */
async function repeat({ method, url }: OutboundRequest): Promise<OutboundResponse> {
  const text = url.endsWith('/long') ? 'x'.repeat(5000) : `${method} ${url}`;
  const body = { size: text.length, text: () => text, base64: () => '' };
  return { url, isFromHome: true, status: 200, headers: { 'content-type': 'text/plain' }, body };
}

/** Turns of the event loop: more than any of these runs needs. */
const mostTurns = 20_000;

/** A service with scripted models and one person, who starts an agent. */
export class AgentScene {
  readonly running: Running;
  readonly providers: Providers;
  readonly person: Person;

  private constructor(running: Running, providers: Providers, person: Person) {
    this.running = running;
    this.providers = providers;
    this.person = person;
  }

  static async start(): Promise<AgentScene> {
    const providers = await Providers.start();
    const running = await startRunning({ catalogue, endpoints: providers.endpoints(), http: repeat });
    return new AgentScene(running, providers, await running.addPerson('member'));
  }

  /** How the model answers from now on. */
  answer(answers: readonly ScriptedAnswer[]): void {
    this.providers.answersWith(scripted(answers));
  }

  /** Starts a conversation, and returns its execution's id. */
  async begin(conversation: Conversation, way: (typeof ways)[number] = ways[0]): Promise<string> {
    const { answers, agent = {}, tools = { calc: ['calculator', {}] } } = conversation;
    this.answer(answers);
    const names = Object.keys(tools);
    await this.running.addWorkflow(this.person.user, 'wf', {
      nodes: {
        start: 'trigger_manual',
        ai: ['agent', { input: 'What is 6 * 7?', ...agent }],
        gpt: [
          'ai_model',
          { input_price: 1, output_price: 2 },
          { llm_credential_id: way.credential, model_name: 'small' },
        ],
        ...Object.fromEntries(Object.entries(tools).map(([name, [type, extra]]) => [name, [type, extra] as const])),
      },
      edges: `start -> ai\ngpt -llm-> ai\n${names.map((name) => `${name} -tool-> ai`).join('\n')}`,
    });
    if (way.isStreamed) {
      const host = await this.running.listen();
      const socket = await Socket.open(`ws://${host}/ws/?token=${this.person.key}`);
      expect(await socket.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
    }
    const { status, body } = await this.person.post('/api/v1/workflows/wf/execute/', { payload: 'go' });
    expect(status, JSON.stringify(body)).toBe(200);
    return (body as { execution_id: string }).execution_id;
  }

  async detail(id: string): Promise<Detail> {
    return executionDetail.parse((await this.person.get(`/api/v1/executions/${id}/`)).body);
  }

  /** Returns the run when it does nothing more by itself. Requests use a real socket, and retries virtual time. */
  async settled(id: string): Promise<Detail> {
    for (let turn = 0; turn < mostTurns; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 50 !== 49) continue;
      const { status } = (await this.running.store.executions.byId(id)) ?? {};
      if (status !== 'pending' && status !== 'running' && status !== 'waiting') return this.detail(id);
      // Past the pause before another attempt.
      await this.running.time.advance(1000);
    }
    throw new Error(`the run has not ended: ${JSON.stringify((await this.detail(id)).logs.at(-1))}`);
  }

  async run(conversation: Conversation, way?: (typeof ways)[number]): Promise<Detail> {
    return this.settled(await this.begin(conversation, way));
  }

  /** The messages of the last request. */
  get lastMessages(): readonly JsonObject[] {
    return this.providers.last.body?.messages as readonly JsonObject[];
  }
}
