import { describe, expect, test } from 'vitest';
import { called, eras, McpScene, textOf } from './mcp-scene.ts';

const numbers = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

describe.each(eras)('a client of the %s revision', (era) => {
  test('lists the workflows that its user offers, with their schemas', async () => {
    const scene = await McpScene.start();
    await scene.add('double', called('echo', { name: 'Double', description: 'Doubles.', inputSchema: numbers }));
    await scene.add('any', called('echo', { name: 'Any' }));
    const client = await scene.connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execution_result', 'double', 'any']);
    expect(tools[1]).toMatchObject({ title: 'Double', description: 'Doubles.', inputSchema: numbers });
    expect(tools[2]).toMatchObject({ description: "Runs the workflow 'Any'.", inputSchema: { type: 'object' } });
    expect(client.getServerVersion()).toMatchObject({ name: 'millrace' });
  });

  test('calls one, and gets its output', async () => {
    const scene = await McpScene.start();
    await scene.add('double', called('echo'));
    const client = await scene.connect(era);
    const result = await client.callTool({ name: 'double', arguments: { n: 4 } });
    expect(result.isError).not.toBe(true);
    expect(JSON.parse(textOf(result))).toMatchObject({ payload: { n: 4 }, text: '' });
    expect(await scene.runs('double')).toMatchObject([{ status: 'completed', trigger_node_id: 'begin' }]);
  });

  test('gets the id of an execution after a minute, and its result by that id', async () => {
    const scene = await McpScene.start();
    await scene.add('slow', called('held'));
    const client = await scene.connect(era);
    const call = client.callTool({ name: 'slow', arguments: {} });
    await scene.running.until(() => scene.running.steps.heldCount === 1);
    scene.running.time.advance(60_000);
    const answer = await call;
    const id = String(answer._meta?.['millrace/execution_id']);
    expect(textOf(answer)).toBe(
      `Execution ${id} has not ended yet. Call execution_result with this execution_id to get its result.`,
    );
    const result = client.callTool({ name: 'execution_result', arguments: { execution_id: id } });
    scene.running.steps.letGo();
    expect(JSON.parse(textOf(await result))).toMatchObject({ payload: {} });
  });
});

test('a workflow is offered only with mcp, if it is active, has a workflow trigger and takes an object', async () => {
  const scene = await McpScene.start();
  await scene.add('plain', called('echo', { mcp: false }));
  await scene.add('paused', called('echo', { isActive: false }));
  await scene.add('list', called('echo', { inputSchema: { type: 'array' } }));
  await scene.add('hook', { fields: { mcp: true }, nodes: { begin: 'trigger_webhook' } });
  await scene.add('nullable', called('echo', { inputSchema: { type: ['object', 'null'] } }));
  await scene.add('untyped', called('echo', { inputSchema: { required: ['n'] } }));
  expect(await scene.names()).toEqual(['execution_result', 'nullable', 'untyped']);
  const client = await scene.connect();
  for (const name of ['plain', 'paused', 'list', 'hook', 'missing']) {
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`There is no tool '${name}'.`);
  }
  expect(await scene.running.store.executions.openCount()).toBe(0);
});

test('the owner and the editors may call a workflow; for others it does not exist, also if it is public', async () => {
  const scene = await McpScene.start();
  await scene.add('shared', called('echo', { isPublic: true }));
  for (const [name, role] of [
    ['editor', 'editor'],
    ['viewer', 'viewer'],
    ['stranger', null],
  ] as const) {
    const person = await scene.running.addPerson(name);
    const path = '/api/v1/workflows/shared/collaborators/';
    if (role !== null) expect((await scene.member.post(path, { username: name, role })).status).toBe(201);
    const isAllowed = role === 'editor';
    expect(await scene.names(person)).toEqual(isAllowed ? ['execution_result', 'shared'] : ['execution_result']);
    const client = await scene.connect('auto', {}, person);
    const call = client.callTool({ name: 'shared', arguments: {} });
    if (isAllowed) expect((await call).isError).not.toBe(true);
    else await expect(call).rejects.toThrow("There is no tool 'shared'.");
  }
});

test('the result of an execution that the user may not see is missing', async () => {
  const scene = await McpScene.start();
  await scene.add('double', called('echo'));
  const answer = await (await scene.connect()).callTool({ name: 'double', arguments: {} });
  const visitor = await scene.connect('auto', {}, await scene.running.addPerson('visitor'));
  for (const execution_id of [answer._meta?.['millrace/execution_id'], 'nothing', 7]) {
    const result = await visitor.callTool({ name: 'execution_result', arguments: { execution_id } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^(Execution not found\.|'execution_id' is missing)/);
  }
});

test('arguments that violate the schema start nothing, and the model sees why', async () => {
  const scene = await McpScene.start();
  await scene.add('double', called('echo', { inputSchema: numbers }));
  const result = await (await scene.connect()).callTool({ name: 'double', arguments: { n: 'four' } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe('arguments at /n must be integer.');
  expect(await scene.runs('double')).toEqual([]);
});

test('a failed execution is an error with its code and its id', async () => {
  const scene = await McpScene.start();
  await scene.add('broken', called('fail'));
  const result = await (await scene.connect()).callTool({ name: 'broken', arguments: {} });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(
    /^Execution [0-9a-f-]{36} failed: assertion: Node 'work' failed: It was bound to fail\.$/,
  );
});

test('a call that is repeated with its Idempotency-Key starts nothing, and other arguments are a conflict', async () => {
  const scene = await McpScene.start();
  await scene.add('double', called('echo'));
  const client = await scene.connect('auto', { 'idempotency-key': 'a' });
  const call = (n: number) => client.callTool({ name: 'double', arguments: { n } });
  const first = await call(1);
  const again = await call(1);
  expect(again.content).toEqual(first.content);
  expect(again._meta).toMatchObject({ ...first._meta, 'millrace/replayed': true });
  expect(textOf(await call(2))).toContain('Idempotency-Key');
  expect(await scene.runs('double')).toHaveLength(1);
});

test('a long list comes in parts', async () => {
  const scene = await McpScene.start();
  for (let n = 0; n < 51; n += 1) await scene.add(`w${n}`, called('echo'));
  const client = await scene.connect();
  const first = await client.listTools({ cursor: '0' });
  expect(first.tools).toHaveLength(50);
  const rest = await client.listTools({ cursor: first.nextCursor ?? '' });
  expect(rest.tools.map(({ name }) => name)).toEqual(['w50']);
  expect(rest.nextCursor).toBeUndefined();
  // A client that asks for no part reads all of them.
  expect(await scene.names()).toHaveLength(52);
  await expect(client.listTools({ cursor: 'x' })).rejects.toThrow('cursor');
});

test('validate warns about a tool that clients cannot start', async () => {
  const scene = await McpScene.start();
  const path = '/api/v1/workflows/wf/';
  await scene.add('wf', { nodes: { begin: 'trigger_manual', work: 'echo' }, edges: 'begin -> work' });
  const codes = async () => {
    const { body } = await scene.member.post(`${path}validate/`, {});
    return (body as { issues: readonly { code: string }[] }).issues.map(({ code }) => code);
  };
  expect(await codes()).toEqual([]);
  await scene.member.patch(path, { mcp: true });
  expect(await codes()).toEqual(['mcp_trigger']);
  await scene.add('other', called('echo'));
  const { body } = await scene.member.post('/api/v1/workflows/other/validate/', {});
  expect(body).toMatchObject({ issues: [] });
});
