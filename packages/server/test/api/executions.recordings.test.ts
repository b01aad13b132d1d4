import { catalogue } from '@millrace/components';
import { eventData, executionDetail } from '@millrace/contract';
import { type JsonObject, type OutboundRequest, type OutboundResponse, StepError } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { credentials, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { scripted } from '../support/scripted-model.ts';
import { type Message, Socket } from '../support/socket.ts';
import { tested } from '../workflow-tests/tested-files.ts';

/** Turns of the event loop: more than any of these runs needs. */
const mostTurns = 20_000;

/** A service whose requests, models and commands are counted. */
class Scene {
  readonly running: Running;
  readonly providers: Providers;
  readonly person: Person;
  readonly counts: { http: number; commands: number; flaky: boolean };

  private constructor(given: Pick<Scene, 'running' | 'providers' | 'person' | 'counts'>) {
    this.running = given.running;
    this.providers = given.providers;
    this.person = given.person;
    this.counts = given.counts;
  }

  static async start(): Promise<Scene> {
    const counts = { http: 0, commands: 0, flaky: true };
    const providers = await Providers.start();
    const running = await startRunning({
      catalogue,
      endpoints: providers.endpoints(),
      http: async (request) => {
        counts.http += 1;
        if (counts.flaky && request.url.endsWith('/flaky')) throw reset();
        return respond(request, counts.http);
      },
      runCommand: async ({ args }) => {
        counts.commands += 1;
        return { exitCode: 0, stdout: `ran ${args.join(' ')}`, stderr: '', cut: false };
      },
    });
    return new Scene({ running, providers, person: await running.addPerson('member'), counts });
  }

  /** Everything that left the service. */
  get outside(): number {
    return this.counts.http + this.counts.commands + this.providers.received.length;
  }

  async start(slug: string, body: object): Promise<string> {
    const answer = await this.person.post(`/api/v1/workflows/${slug}/execute/`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return (answer.body as { execution_id: string }).execution_id;
  }

  async run(slug: string, body: object) {
    return this.ended(await this.start(slug, body));
  }

  async retry(id: string) {
    expect((await this.person.post(`/api/v1/executions/${id}/retry/`, {})).status).toBe(200);
    return this.ended(id);
  }

  async ended(id: string) {
    for (let turn = 0; turn < mostTurns; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 50 !== 49) continue;
      const { status } = (await this.running.store.executions.byId(id)) ?? {};
      if (status === 'completed' || status === 'failed') {
        return executionDetail.parse((await this.person.get(`/api/v1/executions/${id}/`)).body);
      }
      await this.running.time.advance(1000);
    }
    throw new Error('the run has not ended');
  }

  async cassette(id: string): Promise<Readonly<Record<string, readonly JsonObject[]>>> {
    const { status, body } = await this.person.get(`/api/v1/executions/${id}/cassette/`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as Readonly<Record<string, readonly JsonObject[]>>;
  }

  /** A model with two tools, whose answer a request and a command follow. */
  async addOrders(credential: number = credentials.openai): Promise<void> {
    const parameters = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    await this.running.addWorkflow(this.person.user, 'orders', {
      nodes: {
        start: 'trigger_manual',
        load: ['http_request', { url: 'https://orders.example/list?page={{ trigger.payload.page }}' }],
        ai: ['agent', { input: '{{ load.result }}' }],
        gpt: ['ai_model', { input_price: 1, output_price: 2 }, { llm_credential_id: credential, model_name: 'small' }],
        calc: ['calculator', {}],
        find: ['http_request', { url: 'https://orders.example/{{ args.id }}', tool: { parameters } }],
        print: ['run_command', { command: 'print', args: ['{{ ai.output }}'], input: { total: 1 } }],
      },
      edges: 'start -> load\nload -> ai\ngpt -llm-> ai\ncalc -tool-> ai\nfind -tool-> ai\nai -> print',
    });
    this.providers.answersWith(
      scripted([
        {
          calls: [
            { id: 'one', name: 'find', args: { id: '7' } },
            { id: 'two', name: 'calc', args: { expression: '6 * 7' } },
          ],
        },
        { text: 'Order 7 is due.', thinking: 'An order.' },
      ]),
    );
  }
}

function reset(): StepError {
  return new StepError('http_connection', 'The connection was reset.', { retryable: true });
}

/** JSON with numbers that a double cannot hold. */
const large = '{"id":9007199254740993,"far":1e400}';

function respond({ method, url }: OutboundRequest, count: number): OutboundResponse {
  if (url.endsWith('/broken')) throw reset();
  const [type, bytes] = url.endsWith('/file')
    ? (['application/octet-stream', Buffer.from([0, 255, 1, 254])] as const)
    : ([
        'application/json',
        Buffer.from(url.endsWith('/large') ? large : JSON.stringify({ count, method, url })),
      ] as const);
  const body = { size: bytes.length, text: () => bytes.toString(), base64: () => bytes.toString('base64') };
  const headers = { 'content-type': type, date: 'Sat, 28 Nov 2026 12:00:00 GMT' };
  return { url, isFromHome: true, status: 200, headers, cookies: ['a=1; Path=/', 'b=2'], body };
}

/** The text of models in events. */
function textIn(messages: readonly Message[]): string {
  return messages.flatMap(({ type, data }) => (type === 'token' ? [eventData.token.parse(data).text] : [])).join('');
}

/** What a run gives back, without what differs between runs: ids and times. */
function resultOf({ status, final_output, error_code, total_tokens, logs }: Awaited<ReturnType<Scene['run']>>) {
  const steps = logs.map(({ node_id, frame, attempt, status: end, output, error_code: code, metadata }) => {
    const { retry_at: _time, ...shown } = metadata as JsonObject;
    return { node_id, frame, attempt, end, output, code, metadata: shown };
  });
  return { status, final_output, error_code, total_tokens, steps };
}

describe('a recorded execution with a request, an agent with tools and a command', () => {
  test('gives the same results from its cassette, by id and by value, without a request to the outside', async () => {
    const scene = await Scene.start();
    await scene.addOrders();
    const first = await scene.run('orders', { payload: { page: 1 }, record: true });
    expect(first).toMatchObject({ status: 'completed', recording: 'recorded' });
    const cassette = await scene.cassette(first.execution_id);
    expect(cassette).toMatchObject({
      http: [
        {
          request: { method: 'GET', url: 'https://orders.example/list?page=1' },
          response: { status: 200, body: { count: 1 } },
        },
        {
          request: { url: 'https://orders.example/7' },
          response: { headers: { 'set-cookie': ['a=1; Path=/', 'b=2'] } },
        },
      ],
      models: [
        { node: 'ai', calls: [{ id: 'one', tool: 'find', arguments: { id: '7' } }, { id: 'two' }], input_tokens: 10 },
        { node: 'ai', answer: 'Order 7 is due.' },
      ],
      commands: [{ command: 'print', args: ['Order 7 is due.'], input: { total: 1 }, stdout: 'ran Order 7 is due.' }],
    });
    const before = scene.outside;
    for (const given of [first.execution_id, cassette]) {
      const again = await scene.run('orders', { payload: { page: 1 }, cassette: given });
      expect(again.recording).toBe('replayed');
      expect(resultOf(again)).toEqual(resultOf(first));
    }
    expect(scene.outside).toBe(before);
    const { body: usage } = await scene.person.get('/api/v1/workflows/orders/usage/?since=2026-01-01&until=2026-01-31');
    expect(usage, 'recorded answers cost nothing').toMatchObject({ total: { llm_calls: 2 } });
    const budget = { tokens: 1, period: 'day' };
    expect((await scene.person.patch('/api/v1/workflows/orders/', { budget })).status).toBe(200);
    const paid = await scene.run('orders', { payload: { page: 1 } });
    expect(paid).toMatchObject({ status: 'failed', error_code: 'budget_spent' });
    const free = await scene.run('orders', { payload: { page: 1 }, cassette });
    expect(free.status).toBe('completed');
  });

  test.each([
    credentials.openai,
    credentials.anthropic,
  ])('gets the streamed answers of credential %i again, and their text is streamed again', async (credential) => {
    const scene = await Scene.start();
    await scene.addOrders(credential);
    const host = await scene.running.listen();
    const socket = await Socket.open(`ws://${host}/ws/?token=${scene.person.key}`);
    expect(await socket.subscribe('workflow:orders')).toMatchObject({ type: 'subscribed' });
    const first = await scene.run('orders', { payload: { page: 1 }, record: true });
    const streamed = textIn(await socket.receiveUntil('execution_completed'));
    expect(streamed).toBe('Order 7 is due.');
    expect(scene.providers.last.body).toMatchObject({ stream: true });
    const before = scene.outside;
    const again = await scene.run('orders', { payload: { page: 1 }, cassette: first.execution_id });
    expect(resultOf(again)).toEqual(resultOf(first));
    expect(scene.outside).toBe(before);
    expect(textIn(await socket.receiveUntil('execution_completed'))).toBe(streamed);
  });

  test('has a cassette that a test of the workflow accepts', async () => {
    const scene = await Scene.start();
    await scene.addOrders();
    const { execution_id: id, final_output } = await scene.run('orders', { payload: { page: 1 }, record: true });
    const exported = await scene.person.get('/api/v1/workflows/orders/export/');
    const { yaml_str: yaml } = exported.body as { yaml_str: string };
    const one = { name: 'as recorded', payload: { page: 1 }, ...(await scene.cassette(id)), expect: { final_output } };
    const file = JSON.stringify({ workflow: 'flow.yaml', tests: [one] });
    const { code, out, notes } = await tested({ 'flow.yaml': yaml, 'flow.test.yaml': file });
    expect({ code, out, notes }).toMatchObject({ code: 0, notes: [] });
  });

  test('with another payload gets no answer, and the step says what is recorded', async () => {
    const scene = await Scene.start();
    await scene.addOrders();
    const { execution_id: id } = await scene.run('orders', { payload: { page: 1 }, record: true });
    const before = scene.outside;
    const missed = await scene.run('orders', { payload: { page: 2 }, cassette: id });
    expect(missed).toMatchObject({ status: 'failed', error_code: 'cassette_miss', error_node_id: 'load' });
    expect(missed.error_message).toContain(
      'No recording answers GET https://orders.example/list?page=2. The recording has http[0] (GET https://orders.example/list?page=1), http[1] (GET https://orders.example/7).',
    );
    expect(scene.outside).toBe(before);
  });
});

/** A workflow with one request. */
const request = (url: string, extra: JsonObject = {}) => ({
  nodes: { start: 'trigger_manual', load: ['http_request', { url, ...extra }] as const },
  edges: 'start -> load',
});

describe('a recording of failed steps', () => {
  test('has each attempt of a failed step, so that a replay fails and succeeds as often', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'broken', request('https://orders.example/broken'));
    const first = await scene.run('broken', { record: true });
    expect(first).toMatchObject({ status: 'failed', error_code: 'http_connection' });
    const { http = [] } = await scene.cassette(first.execution_id);
    const fails = { code: 'http_connection', message: 'The connection was reset.', retryable: true };
    const asked = { method: 'GET', url: 'https://orders.example/broken' };
    expect(http).toEqual([1, 2, 3].map(() => ({ request: asked, fails })));
    const again = await scene.run('broken', { cassette: first.execution_id });
    expect(resultOf(again)).toEqual(resultOf(first));
    expect(scene.counts.http).toBe(3);
  });

  test('has the attempts before and after a retry, so that a replay fails and can be retried', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'flaky', request('https://orders.example/flaky'));
    const first = await scene.run('flaky', { record: true });
    expect(first.status).toBe('failed');
    scene.counts.flaky = false;
    const retried = await scene.retry(first.execution_id);
    expect(retried.status).toBe('completed');
    const { http = [] } = await scene.cassette(first.execution_id);
    expect(http.map((entry) => 'fails' in entry)).toEqual([true, true, true, false]);
    const again = await scene.run('flaky', { cassette: first.execution_id });
    expect(resultOf(again)).toEqual(resultOf(first));
    expect(resultOf(await scene.retry(again.execution_id))).toEqual(resultOf(retried));
    expect(scene.counts.http).toBe(4);
  });
});

describe('a recording', () => {
  test('has the bytes of a file', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'file', request('https://orders.example/file'));
    const first = await scene.run('file', { record: true });
    expect(await scene.cassette(first.execution_id)).toMatchObject({
      http: [{ response: { body_base64: 'AP8B/g==' } }],
    });
    expect(resultOf(await scene.run('file', { cassette: first.execution_id }))).toEqual(resultOf(first));
  });

  test('includes the sub-workflows and the error handler, which get their answers from it again', async () => {
    const scene = await Scene.start();
    const { user } = scene.person;
    const handler = await scene.running.addWorkflow(user, 'handler', {
      nodes: { start: 'trigger_error', note: ['http_request', { url: 'https://orders.example/note' }] },
      edges: 'start -> note',
    });
    await scene.running.addWorkflow(user, 'inner', {
      nodes: {
        start: 'trigger_workflow',
        load: ['http_request', { url: 'https://orders.example/inner' }],
        check: ['assertion', { rules: [{ field: 'load.result.count', operator: 'gt', value: 5 }] }],
      },
      edges: 'start -> load\nload -> check',
    });
    await scene.running.addWorkflow(user, 'outer', {
      fields: { errorHandlerWorkflowId: handler.id },
      nodes: { start: 'trigger_manual', call: ['workflow', { workflow: 'inner' }] },
      edges: 'start -> call',
    });
    const first = await scene.run('outer', { record: true });
    await scene.running.settle();
    const { http = [] } = await scene.cassette(first.execution_id);
    const urls = http.map((entry) => (entry.request as JsonObject).url);
    expect(urls).toEqual(['https://orders.example/inner', 'https://orders.example/note']);
    const again = await scene.run('outer', { cassette: first.execution_id });
    await scene.running.settle();
    expect(again).toMatchObject({ status: 'failed', error_code: first.error_code });
    const { execution_id: handling } = again.error_handler ?? {};
    expect((await scene.person.get(`/api/v1/executions/${handling}/`)).body).toMatchObject({ status: 'completed' });
    expect(scene.counts.http).toBe(2);
    expect((await scene.person.get(`/api/v1/executions/${handling}/cassette/`)).body).toMatchObject({
      detail: `The execution is a part of the recording of execution ${again.execution_id}.`,
    });
  });

  test('answers the replay of a replayed execution too', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/7'));
    const first = await scene.run('flow', { record: true });
    const second = await scene.run('flow', { cassette: first.execution_id });
    const replay = { from_node: 'load' };
    const third = await scene.person.post(`/api/v1/executions/${second.execution_id}/replay/`, replay);
    await scene.running.settle();
    const { execution_id: id } = third.body as { execution_id: string };
    expect((await scene.person.get(`/api/v1/executions/${id}/`)).body).toMatchObject({
      status: 'completed',
      recording: 'replayed',
      final_output: second.final_output,
    });
    expect(scene.counts.http).toBe(1);
  });

  test('is deleted with its execution', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/7'));
    const { execution_id: id } = await scene.run('flow', { record: true });
    await scene.person.post('/api/v1/executions/batch-delete/', { execution_ids: [id] });
    expect(await scene.running.store.recordings.read(id)).toBeNull();
    expect((await scene.person.post('/api/v1/workflows/flow/execute/', { cassette: id })).status).toBe(422);
  });
});

describe('a start', () => {
  test('with both a recording and recorded answers is rejected', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/7'));
    const { status, body } = await scene.person.post('/api/v1/workflows/flow/execute/', { record: true, cassette: {} });
    expect({ status, body }).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'record'] }] } });
  });

  test.each([
    [{ http: [{ request: { url: 'https://a.example' } }] }, "Give either 'response' or 'fails'."],
    [{ https: [] }, 'https'],
  ])('with the invalid cassette %j is rejected', async (cassette, message) => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/7'));
    const { status, body } = await scene.person.post('/api/v1/workflows/flow/execute/', { cassette });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(message);
  });

  test('with an execution that was not recorded says so', async () => {
    const scene = await Scene.start();
    await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/7'));
    const { execution_id: id } = await scene.run('flow', {});
    const missing = await scene.person.get(`/api/v1/executions/${id}/cassette/`);
    const detail = "The execution was not recorded: start it with 'record': true.";
    expect(missing).toMatchObject({ status: 409, body: { detail } });
    const { status, body } = await scene.person.post('/api/v1/workflows/flow/execute/', { cassette: id });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'cassette'], msg: detail }] },
    });
  });

  test('with the recording of somebody else is rejected as one that does not exist', async () => {
    const scene = await Scene.start();
    const visitor = await scene.running.addPerson('visitor');
    await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/7'));
    await scene.running.addWorkflow(visitor.user, 'own', request('https://orders.example/7'));
    const { execution_id: id } = await scene.run('flow', { record: true });
    expect((await visitor.get(`/api/v1/executions/${id}/cassette/`)).status).toBe(404);
    const { status, body } = await visitor.post('/api/v1/workflows/own/execute/', { cassette: id });
    expect({ status, body }).toMatchObject({ status: 422, body: { detail: [{ msg: 'Execution not found.' }] } });
  });
});

test('a viewer reads the recording of a shared workflow, but not the parts of workflows that are not shared', async () => {
  const scene = await Scene.start();
  const { running, person } = scene;
  const viewer = await running.addPerson('visitor');
  const flow = await running.addWorkflow(person.user, 'flow', request('https://orders.example/7'));
  await running.addWorkflow(person.user, 'inner', {
    nodes: { start: 'trigger_workflow', load: ['http_request', { url: 'https://orders.example/inner' }] },
    edges: 'start -> load',
  });
  const outer = await running.addWorkflow(person.user, 'outer', {
    nodes: { start: 'trigger_manual', call: ['workflow', { workflow: 'inner' }] },
    edges: 'start -> call',
  });
  for (const { slug } of [flow, outer]) {
    const share = { username: viewer.user.username, role: 'viewer' };
    expect((await person.post(`/api/v1/workflows/${slug}/collaborators/`, share)).status).toBe(201);
  }
  const own = await scene.run('flow', { record: true });
  const whole = await scene.run('outer', { record: true });
  const path = (id: string) => `/api/v1/executions/${id}/cassette/`;
  expect((await viewer.get(path(own.execution_id))).status).toBe(200);
  expect((await person.get(path(whole.execution_id))).status).toBe(200);
  expect(await viewer.get(path(whole.execution_id))).toMatchObject({
    status: 403,
    body: { detail: 'The recording includes executions of workflows that are not shared with you.' },
  });
  const replayed = await scene.run('outer', { cassette: whole.execution_id });
  expect(replayed.status).toBe('completed');
  expect((await person.get(path(replayed.execution_id))).status).toBe(200);
  expect((await viewer.get(path(replayed.execution_id))).status).toBe(403);
});

test('only the owner runs a workflow with recorded answers, and it starts no workflow of another owner', async () => {
  const scene = await Scene.start();
  const { running, person } = scene;
  const [editor, other] = [await running.addPerson('visitor'), await running.addPerson('visitor')];
  await running.addWorkflow(other.user, 'theirs', {
    fields: { isPublic: true },
    nodes: { start: 'trigger_workflow', load: ['http_request', { url: 'https://orders.example/theirs' }] },
    edges: 'start -> load',
  });
  await running.addWorkflow(person.user, 'outer', {
    nodes: { start: 'trigger_manual', call: ['workflow', { workflow: 'theirs' }] },
    edges: 'start -> call',
  });
  const share = { username: editor.user.username, role: 'editor' };
  expect((await person.post('/api/v1/workflows/outer/collaborators/', share)).status).toBe(201);
  const cassette = {
    http: [{ request: { method: 'GET', url: 'https://orders.example/theirs' }, response: { body: 'x' } }],
  };
  const start = { payload: {}, cassette };
  expect((await editor.post('/api/v1/workflows/outer/execute/', start)).status).toBe(403);
  const run = await scene.run('outer', start);
  expect(run).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining("'theirs' belongs to another owner"),
  });
  const { body } = await other.get('/api/v1/executions/?workflow_slug=theirs');
  expect(body).toMatchObject({ total: 0 });
});

test('numbers that a double cannot hold have the same digits after a replay', async () => {
  const scene = await Scene.start();
  await scene.running.addWorkflow(scene.person.user, 'flow', request('https://orders.example/large'));
  const recorded = await scene.run('flow', { record: true });
  const replayed = await scene.run('flow', { cassette: recorded.execution_id });
  expect(replayed.final_output).toEqual(recorded.final_output);
  expect(JSON.stringify(replayed.final_output)).toContain('9007199254740993');
});

test('a tool with recorded answers reads by the API of the service, and changes nothing by it', async () => {
  const scene = await Scene.start();
  await scene.running.addWorkflow(scene.person.user, 'other', request('https://orders.example/7'));
  const allow = ['GET /*', 'POST /*'];
  await scene.running.addWorkflow(scene.person.user, 'agent', {
    nodes: {
      start: 'trigger_manual',
      ai: ['agent', { input: 'Do it.' }],
      gpt: ['ai_model', {}, { llm_credential_id: credentials.openai, model_name: 'small' }],
      api: ['platform_api', { allow }],
    },
    edges: 'start -> ai\ngpt -llm-> ai\napi -tool-> ai',
  });
  const call = (args: JsonObject) => ({ calls: [{ tool: 'api', arguments: args }] });
  const models = [
    call({ path: '/workflows/other/' }),
    call({ method: 'POST', path: '/workflows/other/execute/', body: {} }),
    call({ path: '/workflows/other/nodes/load/tools/' }),
    { answer: 'Done.' },
  ];
  const { final_output, logs } = await scene.run('agent', { cassette: { models } });
  expect(final_output).toBe('Done.');
  const calls = logs.filter(({ node_id }) => node_id === 'api');
  expect(calls.map(({ error_code }) => error_code)).toEqual([null, 'cassette_miss', 'cassette_miss']);
  expect(scene.outside).toBe(0);
});
