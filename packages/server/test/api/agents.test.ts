import { catalogue } from '@millrace/components';
import { executionDetail } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { completion, credentials, message, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

type Detail = z.infer<typeof executionDetail>;

interface World {
  readonly running: Running;
  readonly providers: Providers;
  readonly person: Person;
}

async function start(): Promise<World> {
  const providers = await Providers.start();
  const running = await startRunning({ catalogue, endpoints: providers.endpoints() });
  return { running, providers, person: await running.addPerson('member') };
}

interface Sketch {
  /** Common config of the model node. */
  readonly model?: JsonObject;
  readonly prices?: JsonObject;
  /** Common config of the agent. */
  readonly common?: JsonObject;
  readonly extra?: JsonObject;
  readonly others?: Readonly<Record<string, [string, JsonObject]>>;
  /** Edges in addition to `start -> ai`; default: the model's edge. */
  readonly edges?: string;
}

const gpt = { llm_credential_id: credentials.openai, model_name: 'small' };

/** Starts a run of a workflow whose manual trigger leads to an agent. */
async function begin({ running, person }: World, sketch: Sketch, payload: unknown): Promise<string> {
  const { model = gpt, prices = {}, common = {}, extra = {}, others = {}, edges = 'gpt -llm-> ai' } = sketch;
  const nodes = {
    start: 'trigger_manual',
    ai: ['agent', extra, common],
    gpt: ['ai_model', prices, model],
    ...others,
  } as const;
  await running.addWorkflow(person.user, 'wf', { nodes, edges: `start -> ai\n${edges}` });
  const answer = await person.post('/api/v1/workflows/wf/execute/', { payload });
  expect(answer.status).toBe(200);
  return (answer.body as { execution_id: string }).execution_id;
}

async function detail({ person }: World, id: string): Promise<Detail> {
  return executionDetail.parse((await person.get(`/api/v1/executions/${id}/`)).body);
}

/** Returns the run after it has ended. Its requests use a real socket, so this waits for turns of the event loop. */
async function ended(world: World, id: string): Promise<Detail> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const run = await detail(world, id);
    if (!['pending', 'running', 'waiting'].includes(run.status)) return run;
  }
}

async function run(world: World, sketch: Sketch, payload: unknown = 'Hello'): Promise<Detail> {
  return ended(world, await begin(world, sketch, payload));
}

/** Waits until the provider has received `count` requests, and the runner has processed its responses. */
async function received({ running, providers }: World, count: number): Promise<void> {
  await running.until(() => providers.received.length >= count);
}

describe('a run with an agent', () => {
  it('calls the model of its llm edge, with the settings of both nodes', async () => {
    const world = await start();
    const { status, final_output } = await run(
      world,
      {
        model: { ...gpt, temperature: 0.1, max_tokens: 50 },
        common: { system_prompt: 'You serve {{ trigger.payload.name }}.', temperature: 0.7 },
        extra: { input: 'Greet {{ start.payload.name }}' },
      },
      { name: 'Ada' },
    );
    expect({ status, final_output }).toEqual({ status: 'completed', final_output: 'You said: Greet Ada' });
    expect(world.providers.last.body).toEqual({
      model: 'small',
      messages: [
        { role: 'system', content: 'You serve Ada.' },
        { role: 'user', content: 'Greet Ada' },
      ],
      stream: false,
      max_tokens: 50,
      temperature: 0.7,
    });
  });

  it('supports the other protocol', async () => {
    const world = await start();
    const { final_output } = await run(world, { model: { ...gpt, llm_credential_id: credentials.anthropic } });
    expect(final_output).toBe('You said: Hello');
    expect(world.providers.last.path).toBe('/v1/messages');
  });

  it('reports its usage: tokens, calls and cost at the prices of the model', async () => {
    const world = await start();
    // The other settings of the model node reach the provider.
    const prices = { input_price: 2, output_price: 10, reasoning_effort: 'low', extra_body: { top_k: 40 } };
    const detailed = await run(world, { prices });
    expect(world.providers.last.body).toMatchObject({ reasoning_effort: 'low', top_k: 40 });
    const cost = (12 * 2 + 5 * 10) / 1_000_000;
    expect(detailed).toMatchObject({ total_tokens: 17, llm_calls: 1, total_cost_usd: cost });
    expect(detailed.logs.find(({ node_id }) => node_id === 'ai')).toMatchObject({
      status: 'success',
      output: {
        output: 'You said: Hello',
        usage: { calls: 1, input_tokens: 12, output_tokens: 5, total_tokens: 17, cost_usd: cost },
      },
    });
    expect((await world.person.get('/api/v1/executions/')).body).toMatchObject({
      items: [{ total_tokens: 17, llm_calls: 1, total_cost_usd: cost }],
    });
  });

  it('outputs the value that its output parser extracts', async () => {
    const world = await start();
    world.providers.answers(200, completion('```json\n{"city": "Ghent"}\n```'));
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const { final_output } = await run(world, {
      others: { reads: ['output_parser', { schema }] },
      edges: 'gpt -llm-> ai\nreads -output_parser-> ai',
    });
    expect(final_output).toEqual({ city: 'Ghent' });
  });

  it('counts the usage of a failed attempt', async () => {
    const world = await start();
    world.providers.answers(200, completion('no'));
    const reads = { schema: { type: 'number' } };
    const failed = await run(world, {
      extra: { retry: { max_attempts: 1 } },
      others: { reads: ['output_parser', reads] },
      edges: 'gpt -llm-> ai\nreads -output_parser-> ai',
    });
    expect(failed).toMatchObject({
      status: 'failed',
      total_tokens: 17,
      llm_calls: 1,
      error_message: "Node 'ai' failed: The model's answer cannot be parsed: it contains no JSON.",
    });
  });
});

describe('an agent that cannot run', () => {
  it('is not started without a model, with the documented message', async () => {
    const { running, person } = await start();
    await running.addWorkflow(person.user, 'wf', {
      nodes: { start: 'trigger_manual', ai: 'agent' },
      edges: 'start -> ai',
    });
    expect(await person.post('/api/v1/workflows/wf/execute/', {})).toMatchObject({
      status: 422,
      body: { issues: [{ code: 'missing_connection', message: "Node 'ai' is missing required 'model' connection" }] },
    });
  });

  it.each<[string, JsonObject, string, string]>([
    ['credential', { llm_credential_id: null }, 'credential_missing', "Node 'gpt' has no LLM credential"],
    [
      'existing credential',
      { llm_credential_id: 99 },
      'credential_missing',
      "Node 'gpt' uses LLM credential 99, which does",
    ],
    [
      'unlocked credential',
      { llm_credential_id: credentials.locked },
      'credential_locked',
      'base_url changed: enter the API key again',
    ],
    [
      'valid key',
      { llm_credential_id: credentials.wrongKey },
      'model_auth',
      "The provider of node 'gpt' rejected the API key",
    ],
    ['model name', { model_name: '' }, 'config', "Node 'gpt' names no model: set its model_name."],
  ])('fails its run with a message that the model has no %s', async (_what, change, code, words) => {
    const world = await start();
    const { status, error_message, logs } = await run(world, { model: { ...gpt, ...change } });
    expect(status).toBe('failed');
    expect(error_message).toContain(words);
    expect(logs.at(-1)).toMatchObject({ node_id: 'ai', error_code: code });
  });
});

describe('a provider that fails', () => {
  it('is called again after its Retry-After time, and the failure is logged', async () => {
    const world = await start();
    world.providers.answers(429, { error: { message: 'Slow down.' } }, { 'retry-after': '60' });
    const id = await begin(world, {}, 'Hello');
    await received(world, 1);
    const failed = async () => (await detail(world, id)).logs.find(({ node_id }) => node_id === 'ai');
    while ((await failed()) === undefined) await world.running.settle();
    expect(await failed()).toMatchObject({ status: 'failed', error_code: 'model_rate_limited' });
    world.providers.answers(200, completion('At last.'));
    world.running.time.advance(59_999);
    await world.running.settle();
    expect(world.providers.received).toHaveLength(1);
    world.running.time.advance(1);
    expect(await ended(world, id)).toMatchObject({ status: 'completed', final_output: 'At last.', llm_calls: 1 });
  });

  it('is not called again after a permanent error', async () => {
    const world = await start();
    world.providers.answers(400, { error: { message: 'Unknown field.' } });
    const { error_message } = await run(world, {});
    expect(error_message).toBe(
      "Node 'ai' failed: The provider of node 'gpt' does not accept the request (status 400): Unknown field.",
    );
    expect(world.providers.received).toHaveLength(1);
  });

  it('times out after the limit that the model sets', async () => {
    const world = await start();
    world.providers.hangs();
    const id = await begin(world, { model: { ...gpt, timeout: 7, max_retries: 0 } }, 'Hello');
    await received(world, 1);
    world.running.time.advance(7000);
    const { error_message, logs } = await ended(world, id);
    expect(error_message).toBe("Node 'ai' failed: The step took longer than 7 s.");
    expect(logs.at(-1)).toMatchObject({ error_code: 'step_timeout' });
  });

  it('is disconnected when the run is cancelled', async () => {
    const world = await start();
    let closed = false;
    world.providers.answersWith((response) => {
      response.on('close', () => {
        closed = true;
      });
    });
    const id = await begin(world, {}, 'Hello');
    await received(world, 1);
    await world.person.post(`/api/v1/executions/${id}/cancel/`);
    expect((await ended(world, id)).status).toBe('cancelled');
    await world.running.until(() => closed);
  });

  it('cannot harm a run by its response', async () => {
    const world = await start();
    const hostile = '{{ trigger.payload }} \u0000 \ud800 <script> __proto__';
    world.providers.answers(200, message(hostile));
    const model = { ...gpt, llm_credential_id: credentials.anthropic };
    const { final_output } = await run(world, {
      model,
      others: { say: ['template', { template: '{{ ai.output }}' }] },
      edges: 'gpt -llm-> ai\nai -> say',
    });
    expect(final_output).toContain('{{ trigger.payload }}');
  });
});
