import type { ServerResponse } from 'node:http';
import { catalogue } from '@millrace/components';
import { eventData, executionDetail } from '@millrace/contract';
import type { ExecutionStatus } from '@millrace/core';
import { expect, it } from 'vitest';
import { credentials, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { type Message, Socket } from '../support/socket.ts';

interface World {
  readonly running: Running;
  readonly providers: Providers;
  readonly person: Person;
  /** Opens a WebSocket that subscribes to the workflow. */
  readonly listen: () => Promise<Socket>;
}

/** A workflow with one agent, whose provider sends what the test chooses. */
async function start(retry = 1, delayMs = 1): Promise<World> {
  const providers = await Providers.start();
  const running = await startRunning({ catalogue, endpoints: providers.endpoints() });
  const person = await running.addPerson('member');
  const nodes = {
    start: 'trigger_chat',
    ai: ['agent', { retry: { max_attempts: retry, delay_ms: delayMs } }],
    gpt: ['ai_model', {}, { llm_credential_id: credentials.openai, model_name: 'small' }],
  } as const;
  await running.addWorkflow(person.user, 'wf', { nodes, edges: 'start -> ai\ngpt -llm-> ai' });
  const host = await running.listen();
  const listen = async (): Promise<Socket> => {
    const socket = await Socket.open(`ws://${host}/ws/?token=${person.key}`);
    expect(await socket.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
    return socket;
  };
  return { running, providers, person, listen };
}

function chunk(content: string, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
}

const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } })}\n\n`;

/** Lets the provider start an answer, and returns the response so that the test can complete it. */
async function began({ running, providers }: World, first: string): Promise<ServerResponse> {
  let response: ServerResponse | null = null;
  providers.answersWith((answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(chunk(first));
    response = answer;
  });
  await running.until(() => response !== null);
  if (response === null) throw new Error('the provider received no request');
  return response;
}

function textsIn(messages: readonly Message[]) {
  return messages.flatMap(({ type, data }) => (type === 'token' ? [eventData.token.parse(data)] : []));
}

it('a subscriber receives text of a model before the step has ended', async () => {
  const world = await start();
  const socket = await world.listen();
  const answered = world.person.post('/api/v1/workflows/wf/chat/', { text: 'Hi', session_id: 's' });
  const response = await began(world, 'Hel');
  let first: readonly Message[] | null = null;
  void socket.receiveUntil('token').then((received) => {
    first = received;
  });
  // A batch is published after its delay, and virtual time only advances here.
  await world.running.until(() => {
    world.running.time.advance(1);
    return first !== null;
  });
  expect(textsIn(first ?? [])).toMatchObject([{ node_id: 'ai', frame: '', attempt: 1, offset: 0, text: 'Hel' }]);
  response.end(chunk('lo') + chunk('!', 'stop') + usage);
  const { execution_id } = (await answered).body as { execution_id: string };
  const rest = await socket.receiveUntil('execution_completed');
  expect(textsIn(rest)).toMatchObject([{ execution_id, offset: 3, text: 'lo!' }]);
  const types = rest.map(({ type }) => type);
  expect(types.indexOf('token')).toBeLessThan(types.indexOf('node_status'));
  expect(await answered).toMatchObject({ status: 200, body: { text: 'Hello!' } });
  const detail = executionDetail.parse((await world.person.get(`/api/v1/executions/${execution_id}/`)).body);
  expect(detail).toMatchObject({ final_output: 'Hello!', total_tokens: 17, llm_calls: 1 });
});

it('without subscribers the model is called without streaming', async () => {
  const { providers, person } = await start();
  expect(await person.post('/api/v1/workflows/wf/chat/', { text: 'Hi' })).toMatchObject({
    body: { status: 'completed', text: 'You said: Hi' },
  });
  expect(providers.last.body).toMatchObject({ stream: false });
});

it('a public viewer receives nothing of the runs, and does not cause streaming', async () => {
  const { running, providers, person } = await start();
  const visitor = await running.addPerson('visitor');
  const workflow = await running.store.workflows.bySlug('wf');
  const at = running.time.clock.now();
  await running.store.workflows.update({ id: workflow?.id ?? 0, changes: { isPublic: true }, at });
  const { port } = running.app.server.address() as { port: number };
  const socket = await Socket.open(`ws://127.0.0.1:${port}/ws/?token=${visitor.key}`);
  expect(await socket.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
  await person.post('/api/v1/workflows/wf/chat/', { text: 'Hi' });
  expect(providers.last.body).toMatchObject({ stream: false });
});

it('a broken stream is retried, and its text starts from the beginning', async () => {
  const world = await start(2);
  const socket = await world.listen();
  const answered = world.person.post('/api/v1/workflows/wf/chat/', { text: 'Hi' });
  const broken = await began(world, 'Wrong');
  broken.end();
  const received = await socket.receiveUntil('token');
  while (received.at(-1)?.data === undefined || (received.at(-1)?.data as { status?: string }).status !== 'retrying') {
    received.push(await socket.receive());
  }
  const again = began(world, 'Right');
  await world.running.until(() => world.running.time.pending > 0);
  world.running.time.advance(10_000);
  (await again).end(chunk('.', 'stop') + usage);
  expect(await answered).toMatchObject({ body: { status: 'completed', text: 'Right.' } });
  const texts = textsIn([...received, ...(await socket.receiveUntil('execution_completed'))]);
  expect(texts.map(({ attempt, offset, text }) => [attempt, offset, text])).toEqual([
    [1, 0, 'Wrong'],
    [2, 0, 'Right.'],
  ]);
});

it('after a retry of the execution its attempts have the numbers of its log, which continue', async () => {
  const world = await start();
  const socket = await world.listen();
  const answered = world.person.post('/api/v1/workflows/wf/chat/', { text: 'Hi' });
  (await began(world, 'Wrong')).end();
  await answered;
  const received = await socket.receiveUntil('execution_failed');
  const [{ execution_id: id } = { execution_id: '' }] = textsIn(received);
  const again = began(world, 'Right');
  await world.person.post(`/api/v1/executions/${id}/retry/`);
  (await again).end(chunk('.', 'stop') + usage);
  const texts = textsIn([...received, ...(await socket.receiveUntil('execution_completed'))]);
  expect(texts.map(({ attempt, text }) => [attempt, text])).toEqual([
    [1, 'Wrong'],
    [2, 'Right.'],
  ]);
  const { body } = await world.person.get(`/api/v1/executions/${id}/`);
  const logs = executionDetail.parse(body).logs.filter(({ node_id: nodeId }) => nodeId === 'ai');
  expect(logs.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 'failed'],
    [2, 'success'],
  ]);
});

it('attempts so far apart that the run has no owner in between also have the numbers of its log', async () => {
  // Longer than a run stays with its owner.
  const world = await start(2, 6000);
  const { running, person } = world;
  const socket = await world.listen();
  void person.post('/api/v1/workflows/wf/chat/', { text: 'Hi' });
  const received: Message[] = [];
  const id = () => textsIn(received)[0]?.execution_id ?? '';
  const breaksOff = async (text: string, then: ExecutionStatus) => {
    (await began(world, text)).end();
    received.push(...(await socket.receiveUntil('token')));
    while ((await running.store.executions.byId(id()))?.status !== then) await running.settle();
    // The waker has learned of the wait by now.
    await running.settle();
    running.time.advance(10_000);
  };
  await breaksOff('One', 'waiting');
  await breaksOff('Two', 'failed');
  await person.post(`/api/v1/executions/${id()}/retry/`);
  await breaksOff('Three', 'waiting');
  (await began(world, 'Four')).end(chunk('.', 'stop') + usage);
  received.push(...(await socket.receiveUntil('execution_completed')));
  expect(textsIn(received).map(({ attempt, text }) => [attempt, text])).toEqual([
    [1, 'One'],
    [2, 'Two'],
    [3, 'Three'],
    [4, 'Four.'],
  ]);
  const { body } = await person.get(`/api/v1/executions/${id()}/`);
  const logs = executionDetail.parse(body).logs.filter(({ node_id: nodeId }) => nodeId === 'ai');
  expect(logs.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
});

it('tokens are not replayed to later subscribers', async () => {
  const world = await start();
  const socket = await world.listen();
  const answered = world.person.post('/api/v1/workflows/wf/chat/', { text: 'Hi' });
  (await began(world, 'Hel')).end(chunk('lo', 'stop') + usage);
  await answered;
  const received = await socket.receiveUntil('execution_completed');
  const [first] = received;
  const late = await world.listen();
  late.say({ type: 'subscribe', channel: 'workflow:wf', after: Number(first?.seq) });
  expect(await late.receive()).toMatchObject({ complete: true, seq: received.at(-1)?.seq });
  const replayed = await late.receiveUntil('execution_completed');
  expect(replayed).toEqual(received.slice(1).filter(({ type }) => type !== 'token'));
});
