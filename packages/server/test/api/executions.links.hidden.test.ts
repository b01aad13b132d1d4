import { type JsonObject, withoutLinkTokens } from '@millrace/core';
import { beforeEach, expect, test } from 'vitest';
import { type LinkScene, linkScene, received } from '../support/link-scene.ts';
import type { Person } from '../support/running.ts';
import { type Message, Socket } from '../support/socket.ts';

const links = {
  hook: '{{ nodes.hook.callback_url }}',
  yes: '{{ nodes.ask.approve_url }}',
  // As in the address of another service.
  coded: 'https://chat.example/?text={{ nodes.ask.decline_url | urlencode }}',
};

const nodes = {
  start: 'trigger_chat',
  received: ['transform', { fields: links }],
  say: ['respond', { body: '{{ nodes.received.output.yes }}' }],
  ask: ['human_confirmation', { prompt: 'Or use {{ nodes.received.output.yes }}' }],
  hook: ['wait', { callback: true }],
} as const;

let scene: LinkScene;
let people: Readonly<Record<'owner' | 'editor' | 'former' | 'viewer', Person>>;
let detail: () => Promise<JsonObject>;

async function setRole(person: Person, role: 'viewer' | 'editor'): Promise<void> {
  const { status } = await people.owner.post('/api/v1/workflows/asked/collaborators/', {
    username: person.user.username,
    role,
  });
  if (status === 201) return;
  await people.owner.patch(`/api/v1/workflows/asked/collaborators/${person.user.username}/`, { role });
}

/** A waiting execution whose data has links, with collaborators of each role. A former editor has sent a message. */
beforeEach(async () => {
  scene = await linkScene({ asked: { nodes, edges: 'start -> received\nreceived -> say\nsay -> ask\nask -> hook' } });
  const { running, member: owner } = scene;
  const person = (name: string) => running.addPerson(name);
  people = { owner, editor: await person('editor'), former: await person('former'), viewer: await person('viewer') };
  await setRole(people.viewer, 'viewer');
  await setRole(people.editor, 'editor');
  await setRole(people.former, 'editor');
  const said = people.former.post('/api/v1/workflows/asked/chat/', { text: 'Hello' });
  await running.settle();
  const { execution_id: id } = (await said).body as JsonObject;
  await setRole(people.former, 'viewer');
  detail = async () => (await owner.get(`/api/v1/executions/${id}/`)).body as JsonObject;
  const output = { output: { link: received(await detail(), 'yes') } };
  await owner.patch('/api/v1/workflows/asked/nodes/received/', {
    config: { extra_config: { fields: links, pinned_output: output } },
  });
});

/** All addresses of the API that return something about the workflow or its execution. */
async function addresses(): Promise<readonly string[]> {
  const { execution_id: id, logs } = await detail();
  const { body } = await people.owner.get('/openapi.json');
  const values = { slug: 'asked', workflow_slug: 'asked', execution_id: id, node_id: 'received', version: 2, key: 'x' };
  const paths = Object.entries((body as { paths: Readonly<Record<string, object>> }).paths);
  const read = paths.flatMap(([path, methods]) => ('get' in methods ? [path] : []));
  const filled = read.map((path) => path.replace(/\{(\w+)\}/g, (_, name) => String(Reflect.get(values, name))));
  const entries = (logs as readonly JsonObject[]).map((log) => `/api/v1/executions/${id}/?log=${log.id}`);
  return [...filled.filter((path) => path.startsWith('/api/') && !path.includes('undefined')), ...entries];
}

function hasLink(text: string): boolean {
  return withoutLinkTokens(text) !== text;
}

test('who may not answer a step sees no link that answers it, at any address', async () => {
  const seen: Record<string, string[]> = { owner: [], editor: [], former: [], viewer: [] };
  for (const path of await addresses()) {
    for (const [role, person] of Object.entries(people)) {
      if (hasLink((await person.get(path)).text)) seen[role]?.push(path.replace(/executions\/.{36}/, 'executions/id'));
    }
  }
  expect(seen.viewer).toEqual([]);
  expect(seen.former).toEqual([]);
  expect(seen.editor).toEqual(
    expect.arrayContaining(['/api/v1/executions/id/', '/api/v1/workflows/asked/', '/api/v1/workflows/asked/nodes/']),
  );
  expect(seen.owner).toContain('/api/v1/workflows/asked/chat/history/');
});

test('a viewer sees the rest of the value, and where a link was', async () => {
  const { execution_id: id } = await detail();
  const { body } = await people.viewer.get(`/api/v1/executions/${id}/`);
  const [log] = (body as { logs: readonly JsonObject[] }).logs.filter((entry) => entry.node_id === 'received');
  expect(log?.output).toEqual({
    output: {
      hook: 'http://localhost/api/v1/callbacks/****',
      yes: 'http://localhost/api/v1/answers/****',
      coded: 'https://chat.example/?text=http%3A%2F%2Flocalhost%2Fapi%2Fv1%2Fanswers%2F****',
    },
  });
  expect((body as JsonObject).open_questions).toMatchObject([
    { prompt: 'Or use http://localhost/api/v1/answers/****' },
  ]);
});

test('a former editor sees no link in the chat', async () => {
  const { body } = await people.former.get('/api/v1/workflows/asked/chat/history/');
  expect((body as JsonObject).items).toMatchObject([{ answer: 'http://localhost/api/v1/answers/****' }]);
});

test('a search by a viewer finds nothing of a link, but the text beside it', async () => {
  const url = received(await detail(), 'yes');
  const total = async (person: Person, q: string) => {
    const { body } = await person.get(`/api/v1/executions/?q=${encodeURIComponent(q)}`);
    return (body as JsonObject).total;
  };
  for (const part of [url.slice(-60), url.slice(-5), url.slice(-20).toUpperCase()]) {
    expect([await total(people.editor, part), await total(people.viewer, part)]).toEqual([1, 0]);
  }
  expect(await total(people.viewer, 'chat.EXAMPLE/?text=')).toBe(1);
});

test('live events show a viewer no link, and everybody else all of them', async () => {
  const { running } = scene;
  const address = `ws://${await running.listen()}/ws/`;
  const open = async ({ key }: Person) => {
    const socket = await Socket.open(`${address}?token=${key}`);
    await socket.subscribe('workflow:asked');
    return socket;
  };
  const [editor, viewer] = [await open(people.editor), await open(people.viewer)];
  const started = await people.owner.post('/api/v1/workflows/asked/chat/', { text: 'Hello' });
  expect(started.status).toBe(200);
  const textOf = (messages: readonly Message[]) => JSON.stringify(messages);
  const [full, masked] = [
    textOf(await editor.receiveUntil('execution_interrupted')),
    textOf(await viewer.receiveUntil('execution_interrupted')),
  ];
  expect([hasLink(full), hasLink(masked)]).toEqual([true, false]);
  expect(masked).toContain('/api/v1/answers/****');
});

test('an editor who becomes a viewer loses the channel with links', async () => {
  const { running } = scene;
  const socket = await Socket.open(`ws://${await running.listen()}/ws/?token=${people.editor.key}`);
  await socket.subscribe('workflow:asked');
  await setRole(people.editor, 'viewer');
  expect(await socket.receiveUntil('error')).toMatchObject([{ detail: 'Workflow not found.' }]);
});
