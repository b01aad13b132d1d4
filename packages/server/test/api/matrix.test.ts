import type { InjectOptions } from 'fastify';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf } from '../matrix/bodies.ts';
import { expectedOf, type Outcome } from '../matrix/expectations.ts';
import { filled, nameOf, paramsOf, requestOf } from '../matrix/requests.ts';
import { castOf, type Role, roles } from '../matrix/roles.ts';
import { newScene, type Scene } from '../matrix/scene.ts';
import { type Declared, type Endpoint, WholeApp } from '../matrix/whole-app.ts';
import { Socket } from '../support/socket.ts';

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

// Wrong passwords may be sent 20 times an hour.
beforeEach(() => app.time.advance(3_600_000));

const named = app.endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const);

/** What allowed callers get from these, because nothing in a scene fits: a rejection that says nothing about them. */
const unfit: Readonly<Record<string, number>> = {
  // The token, the password or the secret of the request is wrong.
  'GET /api/v1/callbacks/:token': 404,
  'POST /api/v1/callbacks/:token': 404,
  'GET /api/v1/answers/:token': 404,
  'HEAD /api/v1/answers/:token': 404,
  'POST /api/v1/answers/:token': 404,
  'POST /api/v1/bots/:bot_id/updates': 401,
  'POST /api/v1/auth/token/': 401,
  'POST /api/v1/auth/session/': 401,
  // Nobody has a default workflow.
  'POST /api/v1/chat/': 404,
  // The request does not ask for the WebSocket protocol.
  'GET /ws/': 426,
  'HEAD /ws/': 426,
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function send(role: Role, options: InjectOptions): Promise<Answer> {
  const key = cast.keys.get(role) ?? null;
  const headers = { ...options.headers, ...(key !== null && { authorization: `Bearer ${key}` }) };
  const { statusCode: status, headers: answered, payload: text } = await app.server.inject({ ...options, headers });
  const { date: _when, ...rest } = answered;
  return { status, headers: rest, text };
}

/** Everything of the scene's workflow that its readers may not change, as its owner sees it. */
async function contentOf({ slug }: Scene): Promise<readonly string[]> {
  const parts = ['', 'versions/', 'collaborators/', 'variables/', 'state/counter/'];
  const answers = parts.map((part) => send('owner', { url: `/api/v1/workflows/${slug}/${part}` }));
  return (await Promise.all(answers)).map(({ status, text }) => `${status} ${text}`);
}

/** Sends the request of an endpoint as a role, in a new scene. */
async function probe(endpoint: Endpoint, role: Role): Promise<number> {
  const scene = await newScene(app, cast, { isPublic: role === 'public_viewer' });
  const request = requestOf(endpoint, scene, await paramsOf(app, cast, endpoint.path, scene));
  const isReader = role === 'viewer' || role === 'public_viewer';
  const before = isReader ? await contentOf(scene) : null;
  const { status } = await send(role, request);
  if (before !== null) expect(await contentOf(scene)).toEqual(before);
  return status;
}

/** Whether it is the answer of a page of the web app in a checkout that has not built it. */
function isUnbuilt(name: string, status: number): boolean {
  return status === 503 && !name.includes(' /api/');
}

function outcomeOf(name: string, status: number): Outcome | number {
  if (status === unfit[name]) return 'allowed';
  if (isUnbuilt(name, status)) return 'allowed';
  // 400, 405, 409 and 422 are about the request and the state of the objects, after the checks of the caller.
  return status < 400 || [400, 405, 409, 422].includes(status) ? 'allowed' : status;
}

/** The statuses that allowed callers got. */
const reached = new Map<string, number>();

describe('the permission matrix', () => {
  it('has a declaration of every endpoint', () => {
    const missing = app.endpoints.filter(({ declared }) => declared === null).map(nameOf);
    expect(missing.map((name) => `${name} does not declare who may call it: add its route with addRoute.`)).toEqual([]);
  });

  it('distinguishes all declarations by the callers that they allow', () => {
    const all: readonly Declared[] = ['anyone', 'webhook', 'user', 'reader', 'member', 'editor', 'owner', 'admin'];
    const outcomes = all.map((declared) => JSON.stringify(expectedOf(declared, '/api/v1/workflows/:slug/')));
    expect(new Set(outcomes).size).toBe(all.length);
  });
});

describe('every role gets from', () => {
  it.each(
    named,
  )('%s the response that its declaration promises, and readers change nothing', async (name, endpoint) => {
    const statuses = new Map<Role, number>();
    for (const role of roles) statuses.set(role, await probe(endpoint, role));
    const expected = expectedOf(endpoint.declared ?? 'anyone', endpoint.path);
    expect(Object.fromEntries([...statuses].map(([role, status]) => [role, outcomeOf(name, status)]))).toEqual(
      expected,
    );
    const allowed = roles.filter((role) => expected[role] === 'allowed').map((role) => statuses.get(role) ?? 0);
    expect(new Set(allowed).size).toBe(1);
    const [status = 0] = allowed;
    if (!isUnbuilt(name, status)) reached.set(name, status);
  });

  it('four of five endpoints a success, if it is allowed', () => {
    const failed = [...reached].filter(([, status]) => status >= 400).map((entry) => entry.join(' '));
    expect(failed.length).toBeLessThan(reached.size / 5);
  });
});

describe('for a stranger the object of another user is answered like a missing one:', () => {
  const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const bodies = [undefined, '{}', '{"name":5}', '{', '['.repeat(200)];
  const objects = /:(slug|workflow_slug|execution_id|key_id|workflow_id|username)/;
  const paths = [...new Set(app.endpoints.map(({ path }) => path))].filter((path) => objects.test(path));

  /** The content of an answer without the name, which the caller sent. */
  function printed({ status, headers, text }: Answer, names: Readonly<Record<string, string>>): object {
    return { status, headers, text: text.replaceAll(String(names.slug), '<slug>') };
  }

  it.each(paths)('%s, for every method and body', async (path) => {
    const scene = await newScene(app, cast);
    // Admins are strangers to the workflows of others, but not to users.
    const strangers: readonly Role[] = path.startsWith('/api/v1/users/:') ? ['stranger'] : ['stranger', 'admin'];
    for (const role of strangers) {
      for (const method of verbs) {
        const endpoint = app.endpoints.find((each) => each.method === method && each.path === path);
        const own = endpoint === undefined ? undefined : bodyOf(endpoint, scene);
        for (const payload of [...bodies, ...(own === undefined ? [] : [JSON.stringify(own)])]) {
          const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
          const request = { method: method as 'GET', headers, ...(payload !== undefined && { payload }) };
          const foreign = await send(role, { ...request, url: filled(path, scene.present) });
          const missing = await send(role, { ...request, url: filled(path, scene.missing) });
          expect(printed(foreign, scene.present)).toEqual(printed(missing, scene.missing));
          // Never 400 for a body, because the object is checked first.
          expect([403, 404, 405]).toContain(foreign.status);
        }
      }
    }
  });
});

describe('the channels of the WebSocket', () => {
  type Channel = 'workflow' | 'execution';
  const mayListen: Readonly<Record<Role, readonly Channel[] | 'rejected'>> = {
    none: 'rejected',
    bad: 'rejected',
    revoked: 'rejected',
    expired: 'rejected',
    webhook: 'rejected',
    stranger: [],
    public_viewer: ['workflow'],
    viewer: ['workflow', 'execution'],
    editor: ['workflow', 'execution'],
    owner: ['workflow', 'execution'],
    admin: [],
  };
  const listening = app.listen();

  it.each(roles.map((role) => [role] as const))('are open to the role %s according to its row', async (role) => {
    const key = cast.keys.get(role) ?? null;
    const { present, missing } = await newScene(app, cast, { isPublic: role === 'public_viewer' });
    const open = mayListen[role];
    const socket = await Socket.open(`ws://${await listening}/ws/${key === null ? '' : `?token=${key}`}`);
    if (open === 'rejected') {
      // A connection without a key may only send one; it is closed after some seconds if it does not.
      socket.say({ type: 'subscribe', channel: `workflow:${present.slug}` });
      expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
      return;
    }
    for (const [kind, found, absent] of [
      ['workflow', present.slug, missing.slug],
      ['execution', present.execution_id, missing.execution_id],
    ] as const) {
      const { channel: _name, ...foreign } = await socket.subscribe(`${kind}:${found}`);
      const { channel: _other, ...nothing } = await socket.subscribe(`${kind}:${absent}`);
      expect(nothing.type).toBe('error');
      if (open.includes(kind)) expect(foreign).toMatchObject({ type: 'subscribed' });
      else expect(foreign).toEqual(nothing);
    }
  });
});
