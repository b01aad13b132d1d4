import { apiKeyList } from '@millrace/contract';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newApiKey } from '../../src/ground/ids.ts';
import { type Answer, apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { Socket } from '../support/socket.ts';
import { WholeApp } from '../support/whole-app.ts';

const path = '/api/v1/auth/session/';
const me = '/api/v1/auth/me/';
const password = 'correct horse battery';
const week = 7 * 24 * 60 * 60;
const day = 24 * 60 * 60 * 1000;
const host = 'localhost:7411';
const origin = `http://${host}`;
const ended = { status: 401, body: { detail: 'The session has ended. Log in again.' } };

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member');
  await member.patch('/api/v1/users/me/', { password });
});

function nobody() {
  return apiOf(running.app, null);
}

/** Sends a login from a page of the service. */
function logIn(body: object = { username: 'member', password }, headers: Record<string, string> = {}): Promise<Answer> {
  return nobody().inject({ method: 'POST', url: path, headers: { host, origin, ...headers }, payload: body });
}

/** The cookie of an answer, as a browser sends it back. */
function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object;
}

/** Sends a request with a cookie from a page of the service. */
function withCookie(cookie: string, { method = 'GET', url = me, headers = {}, payload }: Sent = {}): Promise<Answer> {
  const sent = { host, ...(method !== 'GET' && { origin }), cookie, ...headers };
  return nobody().inject({ method, url, headers: sent, ...(payload && { payload }) });
}

describe('a login', () => {
  // Requirement interface.users.session: `POST /api/v1/auth/session/` logs a browser in with a cookie that scripts and other sites cannot use
  it('with a password sets a cookie that is valid for a week and answers with the user', async () => {
    const answer = await logIn();
    expect(answer).toMatchObject({ status: 200, body: { username: 'member', is_admin: false } });
    const [session, device, ...others] = [answer.headers['set-cookie']].flat();
    const words = 'Path=/; HttpOnly; SameSite=Strict; Max-Age=';
    expect(session).toMatch(new RegExp(`^millrace_session_7411=mr_[\\w-]{43}; ${words}${week}$`));
    expect(device).toMatch(new RegExp(`^millrace_device_7411=[\\w.-]{60,120}; ${words}${180 * 24 * 60 * 60}$`));
    expect(others).toEqual([]);
    expect((await withCookie(cookieOf(answer))).body).toEqual(answer.body);
  });

  it('with an API key creates another key, which does not outlive the first', async () => {
    const answer = await logIn({ api_key: member.key });
    expect(answer).toMatchObject({ status: 200, body: { username: 'member' } });
    expect(cookieOf(answer)).not.toContain(member.key);
    const expires_at = new Date(running.time.clock.now() + 60_000).toISOString();
    const { key } = (await member.post('/api/v1/users/me/keys/', { name: 'short', expires_at })).body as {
      key: string;
    };
    expect((await logIn({ api_key: key })).headers['set-cookie']).toContain('; Max-Age=60');
  });

  it.each([
    ['a wrong password', { username: 'member', password: 'wrong' }, 'Invalid username or password.'],
    ['an unknown key', { api_key: newApiKey() }, 'Invalid API key.'],
    ['no key', { api_key: '' }, 'Invalid API key.'],
    ['a setup token that was never printed', { setup_token: '' }, expect.stringContaining('not valid any more')],
  ])('with %s is rejected, sets no cookie, and counts as a failed attempt', async (_what, body, detail) => {
    for (let count = 0; count < 20; count += 1) {
      const answer = await logIn(body);
      expect(answer).toMatchObject({ status: 401, body: { detail } });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await logIn(body)).status).toBe(429);
    // A right API key is never delayed.
    expect((await logIn({ api_key: member.key })).status).toBe(200);
  });

  it('with the key of a webhook is rejected with the reason', async () => {
    const sender = await running.addPerson('member', 'webhook');
    expect(await logIn({ api_key: sender.key })).toMatchObject({
      status: 403,
      body: { detail: 'This API key may only start workflows by webhook.' },
    });
  });

  it('with an incomplete body is rejected with the missing field', async () => {
    expect(await logIn({ username: 'member' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'password'] }] },
    });
  });

  it('from a page of another site is rejected, so that nobody is logged in as somebody else', async () => {
    for (const foreign of ['http://localhost:8080', 'https://example.com', 'null']) {
      expect((await logIn(undefined, { origin: foreign })).status).toBe(403);
    }
  });

  it('by HTTPS sets a cookie that is sent by HTTPS and to this host only', async () => {
    const app = await WholeApp.start(undefined, { host: '0.0.0.0', publicUrl: 'https://flows.example.com' });
    onTestFinished(() => app.close());
    const { key } = await app.member('member');
    const headers = { host: 'flows.example.com' };
    const open = (origin: string) =>
      app.server.inject({ method: 'POST', url: path, headers: { ...headers, origin }, payload: { api_key: key } });
    const answer = await open('https://flows.example.com');
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-millrace_session=mr_[\w-]{43}; Path=\/; HttpOnly; .*; Secure$/,
    );
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
    const read = async (more: object) =>
      (await app.server.inject({ url: me, headers: { ...headers, cookie, ...more } })).statusCode;
    expect(await read({})).toBe(200);
    expect(await read({ cookie: cookie.replace('__Host-', '') })).toBe(401);
    // Anybody in the network can change the page at the unencrypted address.
    expect(await read({ origin: 'http://flows.example.com' })).toBe(403);
  });

  it('to two services on one host sets two cookies', async () => {
    const other = await logIn(undefined, { host: 'localhost:7412', origin: 'http://localhost:7412' });
    expect(cookieOf(other)).toMatch(/^millrace_session_7412=/);
    const noPort = await logIn(undefined, { host: 'localhost', origin: 'http://localhost' });
    expect(cookieOf(noPort)).toMatch(/^millrace_session=/);
    const both = `${cookieOf(other)}; ${cookieOf(await logIn())}; other=1`;
    expect((await withCookie(both)).status).toBe(200);
    expect((await withCookie(cookieOf(other))).status).toBe(401);
  });
});

describe('a session', () => {
  it('is the same user as their key, and an Authorization header has precedence over it', async () => {
    const cookie = cookieOf(await logIn());
    const created = await withCookie(cookie, {
      method: 'POST',
      url: '/api/v1/workflows/',
      payload: { name: 'New', slug: 'new' },
    });
    expect(created.status).toBe(201);
    expect((await member.get('/api/v1/workflows/new/')).status).toBe(200);
    const headers = { authorization: 'Basic YTpi' };
    expect(await withCookie(cookie, { headers })).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } });
    const other = await running.addPerson('other');
    const ofOther = await withCookie(cookie, { headers: { authorization: `Bearer ${other.key}` } });
    expect(ofOther.body).toMatchObject({ username: 'other' });
  });

  it.each([
    ['of another service', () => `millrace_session_7411=${newApiKey()}`],
    ['that is an API key', () => `millrace_session_7411=${member.key}`],
    ['without a value', () => 'millrace_session_7411='],
    ['in quotes', (cookie: string) => cookie.replace(/=(.*)$/, '="$1"')],
    ['that is longer', (cookie: string) => `${cookie}x`],
    ['that is huge', (cookie: string) => cookie.padEnd(8000, 'x')],
    ['that was sent twice', (cookie: string) => `${cookie}; ${cookie}`],
    ['next to another with its name', (cookie: string) => `millrace_session_7411=a;${cookie}`],
  ])('with a cookie %s is rejected, and does not count as a failed attempt', async (_what, change) => {
    const cookie = change(cookieOf(await logIn()));
    for (let count = 0; count < 25; count += 1) expect(await withCookie(cookie)).toMatchObject(ended);
    expect((await logIn()).status).toBe(200);
  });

  it.each([
    ['in another case', (cookie: string) => cookie.toUpperCase()],
    ['with a longer name', (cookie: string) => `x${cookie}`],
    ['for another port', (cookie: string) => cookie.replace('7411', '74111')],
  ])('with a cookie %s does not exist', async (_what, change) => {
    const answer = await withCookie(change(cookieOf(await logIn())));
    expect(answer).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } });
  });
});

describe('the end of a session', () => {
  it('comes after a week without being read', async () => {
    const cookie = cookieOf(await logIn());
    running.time.advance(week * 1000 - 1);
    expect((await withCookie(cookie)).status).toBe(200);
    running.time.advance(1);
    expect(await withCookie(cookie)).toMatchObject(ended);
  });

  it('moves to a week from each reading, at most once a day, up to 90 days after the login', async () => {
    const cookie = cookieOf(await logIn());
    const read = () => withCookie(cookie, { url: path });
    running.time.advance(day - 1);
    expect((await read()).headers['set-cookie']).toBeUndefined();
    running.time.advance(1);
    const renewed = await read();
    expect(cookieOf(renewed)).toBe(cookie);
    expect(renewed.headers['set-cookie']).toContain(`; Max-Age=${week}`);
    expect((await read()).headers['set-cookie']).toBeUndefined();
    for (let days = 7; days < 90; days += 6) {
      running.time.advance(6 * day);
      expect((await withCookie(cookie)).status).toBe(200);
      await read();
    }
    running.time.advance(6 * day);
    expect(await withCookie(cookie)).toMatchObject(ended);
    expect((await read()).body).toEqual({ user: null, setup_needed: false });
  });

  it('never moves beyond the expiry of the API key that opened it', async () => {
    const expires_at = new Date(running.time.clock.now() + 8 * day).toISOString();
    const { key } = (await member.post('/api/v1/users/me/keys/', { name: 'short', expires_at })).body as {
      key: string;
    };
    const cookie = cookieOf(await logIn({ api_key: key }));
    running.time.advance(6 * day);
    const renewed = await withCookie(cookie, { url: path });
    expect(renewed.headers['set-cookie']).toContain(`; Max-Age=${(2 * day) / 1000}`);
    running.time.advance(2 * day);
    expect(await withCookie(cookie)).toMatchObject(ended);
  });

  it('is described to its browser, and nobody is without a valid one', async () => {
    const cookie = cookieOf(await logIn());
    const { body } = await withCookie(cookie);
    expect((await withCookie(cookie, { url: path })).body).toEqual({ user: body, setup_needed: false });
    for (const other of ['', `millrace_session_7411=${newApiKey()}`, `millrace_session_7411=${member.key}`])
      expect(await withCookie(other, { url: path })).toMatchObject({ status: 200, body: { user: null } });
    expect((await member.get(path)).body).toMatchObject({ user: null });
    const foreign = { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-site' };
    expect((await withCookie(cookie, { url: path, headers: foreign })).status).toBe(403);
  });
});

describe('the session of a browser', () => {
  it('is listed as a key, and ends when this is deleted elsewhere', async () => {
    const cookie = cookieOf(await logIn());
    const keys = apiKeyList.parse((await member.get('/api/v1/users/me/keys/')).body);
    const { id } = keys.find(({ name }) => name === 'login') ?? { id: 0 };
    expect((await member.delete(`/api/v1/users/me/keys/${id}/`)).status).toBe(204);
    expect(await withCookie(cookie)).toMatchObject(ended);
  });

  it('ends with a new password, except in the browser that sets it, which gets a new cookie', async () => {
    const [first, second] = [cookieOf(await logIn()), cookieOf(await logIn())];
    const payload = { password: 'another long one', current_password: password };
    const changed = await withCookie(first, { method: 'PATCH', url: '/api/v1/users/me/', payload });
    expect(changed.status).toBe(200);
    for (const cookie of [first, second]) expect(await withCookie(cookie)).toMatchObject(ended);
    expect((await withCookie(cookieOf(changed))).status).toBe(200);
    const byKey = await member.patch('/api/v1/users/me/', { password, current_password: payload.password });
    expect(byKey.headers['set-cookie']).toBeUndefined();
    expect(await withCookie(cookieOf(changed))).toMatchObject(ended);
  });
});

it('a login ends the earlier session of the same browser, and a failed one does not', async () => {
  const cookie = cookieOf(await logIn());
  const other = cookieOf(await logIn());
  expect((await logIn({ username: 'member', password: 'wrong' }, { cookie })).status).toBe(401);
  expect((await withCookie(cookie)).status).toBe(200);
  const next = cookieOf(await logIn(undefined, { cookie }));
  expect(await withCookie(cookie)).toMatchObject(ended);
  for (const valid of [next, other]) expect((await withCookie(valid)).status).toBe(200);
});

describe('a logout', () => {
  // Requirement interface.users.logout: `DELETE /api/v1/auth/session/` revokes the key of the session
  it('revokes the key of the session, deletes the cookie, and ends no other session', async () => {
    const [first, second] = [cookieOf(await logIn()), cookieOf(await logIn())];
    const answer = await withCookie(first, { method: 'DELETE', url: path });
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']).toBe('millrace_session_7411=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
    expect(await withCookie(first)).toMatchObject(ended);
    expect((await withCookie(second)).status).toBe(200);
  });

  it.each([
    ['no cookie', ''],
    ['an unknown one', `millrace_session_7411=${newApiKey()}`],
    ['several', 'millrace_session_7411=a; millrace_session_7411=b'],
  ])('with %s also succeeds', async (_what, cookie) => {
    const answer = await withCookie(cookie, { method: 'DELETE', url: path });
    expect(answer).toMatchObject({ status: 204, headers: { 'set-cookie': expect.stringContaining('Max-Age=0') } });
  });

  it('never revokes an API key', async () => {
    await withCookie(`millrace_session_7411=${member.key}`, { method: 'DELETE', url: path });
    await member.delete(path);
    expect((await member.get(me)).status).toBe(200);
  });
});

it('no log line contains a cookie, a password or a key', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  running = await startRunning({ withRunner: false, log });
  member = await running.addPerson('member');
  await member.patch('/api/v1/users/me/', { password });
  const cookie = cookieOf(await logIn());
  await logIn({ username: 'member', password: `${password}!` });
  await logIn({ setup_token: 'private-setup-token' });
  await withCookie(cookie, { url: '/api/v1/nothing/' });
  await withCookie(cookie, { url: `/api/v1/workflows/?token=${member.key}` });
  await withCookie(`${cookie}; ${cookie}`);
  await withCookie(cookie, { method: 'POST', url: '/api/v1/workflows/', headers: { origin: 'https://example.com' } });
  const address = await running.listen();
  const socket = await Socket.open(`ws://${address}/ws/`, { headers: { cookie } });
  socket.sendGarbage();
  await socket.ended;
  await withCookie(cookie, { method: 'DELETE', url: path });
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('')).not.toMatch(/mr_[\w-]{43}|millrace_session|correct horse|private-setup-token/);
});

describe('the WebSocket', () => {
  const open = (headers: Record<string, string>, address: string, query = '') =>
    Socket.open(`ws://${address}/ws/${query}`, { headers });

  async function start() {
    const address = await running.listen();
    const own = `http://${address}`;
    const cookie = cookieOf(await logIn(undefined, { host: address, origin: own }));
    await running.addWorkflow(member.user, 'wf', { nodes: {} });
    return { address, own, cookie };
  }

  it('accepts the session of a page of the service, until it ends', async () => {
    const { address, own, cookie } = await start();
    const socket = await open({ origin: own, cookie }, address);
    expect(await socket.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
    await withCookie(cookie, { method: 'DELETE', url: path, headers: { host: address, origin: own } });
    expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('stays open when the session is renewed', async () => {
    const { address, own, cookie } = await start();
    const socket = await open({ origin: own, cookie }, address);
    expect(await socket.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
    running.time.setClock(6 * day);
    await withCookie(cookie, { url: path, headers: { host: address } });
    running.time.setClock(6 * day);
    // Keys of connections are checked each second.
    running.time.advance(2000);
    expect(await socket.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
  });

  it('rejects a session without an origin, and one that has ended', async () => {
    const { address, own, cookie } = await start();
    const rejected = [1008, 'Invalid or missing token'];
    expect(await (await open({ cookie }, address)).ended).toEqual(rejected);
    const unknown = cookie.replace(/=.*/, `=${newApiKey()}`);
    expect(await (await open({ origin: own, cookie: unknown }, address)).ended).toEqual(rejected);
    const withKey = await open({ cookie }, address, `?token=${member.key}`);
    expect(await withKey.subscribe('workflow:wf')).toMatchObject({ type: 'subscribed' });
  });

  it('rejects pages of other origins, also on another port of the host', async () => {
    const { address, cookie } = await start();
    for (const foreign of ['http://127.0.0.1:1', 'https://example.com', 'null']) {
      await expect(open({ origin: foreign, cookie }, address)).rejects.toThrow('403');
    }
  });
});
