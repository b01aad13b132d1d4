import type { InjectOptions } from 'fastify';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fill, nameOf, requestOf } from '../matrix/requests.ts';
import { castOf, type Role, roles } from '../matrix/roles.ts';
import type { Row } from '../matrix/row.ts';
import { rows } from '../matrix/rows.ts';
import { newScene } from '../matrix/scene.ts';
import { WholeApp } from '../matrix/whole-app.ts';
import { Socket } from '../support/socket.ts';

const table = 'packages/server/test/matrix/rows.ts';

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

// Wrong keys may be sent 20 times a minute.
beforeEach(() => app.time.advance(60_000));

/** Every HEAD belongs to a GET, and has its row. */
const endpoints = app.endpoints.filter(({ method }) => method !== 'HEAD');

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

describe('the permission matrix', () => {
  it('has a row for every endpoint', () => {
    const missing = endpoints.map(nameOf).filter((name) => !Object.hasOwn(rows, name));
    const advice = missing.map((name) => `Add to ${table} who may call it, such as:  '${name}': reads(200),`);
    expect(advice).toEqual([]);
  });

  it('has no row without an endpoint', () => {
    const known = new Set(endpoints.map(nameOf));
    expect(Object.keys(rows).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('every role gets from', () => {
  const known = endpoints.filter((endpoint) => Object.hasOwn(rows, nameOf(endpoint)));

  it.each(
    known.map((endpoint) => [nameOf(endpoint), endpoint] as const),
  )('%s the answer of its row', async (name, endpoint) => {
    const { expected } = rows[name] as Row;
    const got: Partial<Record<Role, number>> = {};
    for (const role of roles) {
      const scene = await newScene(app, cast);
      const { status } = await send(role, requestOf(endpoint, scene));
      got[role] = status;
    }
    expect(got).toEqual(expected);
  });

  it.each(
    app.endpoints.filter(({ method }) => method === 'HEAD').map(({ path }) => [path]),
  )('HEAD %s the same', async (path) => {
    const { expected } = rows[`GET ${path}`] as Row;
    const scene = await newScene(app, cast);
    const got: Partial<Record<Role, number>> = {};
    for (const role of roles) got[role] = (await send(role, requestOf({ method: 'HEAD', path }, scene))).status;
    expect(got).toEqual(expected);
  });
});

describe('for a stranger the object of another user is answered like a missing one:', () => {
  const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const bodies = [undefined, '{}', '{"name":5}', '{', '['.repeat(200)];
  const objects = /:(slug|workflow_slug|execution_id|key_id|workflow_id|username)/;
  const paths = [...new Set(endpoints.map(({ path }) => path))].filter((path) => objects.test(path));

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
        const own = rows[`${method} ${path}`]?.body === undefined ? [] : [requestOf({ method, path }, scene).payload];
        for (const payload of [...bodies, ...own]) {
          const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
          const request = { method: method as 'GET', headers, ...(payload !== undefined && { payload }) };
          const foreign = await send(role, { ...request, url: fill(path, scene.present) });
          const missing = await send(role, { ...request, url: fill(path, scene.missing) });
          expect(printed(foreign, scene.present)).toEqual(printed(missing, scene.missing));
          // Never 400 for a body, because the object is checked first.
          expect([403, 404, 405]).toContain(foreign.status);
        }
      }
    }
  });
});

describe('the channels of the WebSocket', () => {
  const mayListen: Readonly<Record<Role, boolean | 'rejected'>> = {
    none: 'rejected',
    bad: 'rejected',
    revoked: 'rejected',
    expired: 'rejected',
    webhook: 'rejected',
    stranger: false,
    viewer: true,
    editor: true,
    owner: true,
    admin: false,
  };
  const listening = app.listen();

  it.each(roles.map((role) => [role] as const))('are open to the role %s according to its row', async (role) => {
    const key = cast.keys.get(role) ?? null;
    const { present, missing } = await newScene(app, cast);
    const socket = await Socket.open(`ws://${await listening}/ws/${key === null ? '' : `?token=${key}`}`);
    if (mayListen[role] === 'rejected') {
      // A connection without a key may only send one; it is closed after some seconds if it does not.
      socket.say({ type: 'subscribe', channel: `workflow:${present.slug}` });
      expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
      return;
    }
    for (const [kind, found, absent] of [
      ['workflow', present.slug, missing.slug],
      ['execution', present.execution_id, missing.execution_id],
    ]) {
      const { channel: _name, ...foreign } = await socket.subscribe(`${kind}:${found}`);
      const { channel: _other, ...nothing } = await socket.subscribe(`${kind}:${absent}`);
      expect(nothing.type).toBe('error');
      if (mayListen[role] === true) expect(foreign).toMatchObject({ type: 'subscribed' });
      else expect(foreign).toEqual(nothing);
    }
  });
});
