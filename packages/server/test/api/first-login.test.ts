import { describe, expect, it, onTestFinished } from 'vitest';
import { WholeApp } from '../matrix/whole-app.ts';

const token = 'the-token-of-the-printed-link';
const sessionPath = '/api/v1/auth/session/';

async function start(setupToken: string | null = token): Promise<WholeApp> {
  const app = await WholeApp.start({ setupToken });
  onTestFinished(() => app.close());
  return app;
}

function send(app: WholeApp, payload: object, url = sessionPath) {
  return app.server.inject({ method: 'POST', url, payload });
}

async function isNeeded(app: WholeApp): Promise<unknown> {
  const answer = await app.server.inject({ url: '/api/v1/auth/setup/' });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ needed: unknown }>().needed;
}

const invalid = { detail: 'This setup link is not valid any more. Log in, or use the link of the newest start.' };

describe('the setup link', () => {
  // Requirement interface.users.setup: until somebody has logged in, each start prints a link with a one-time token that logs in the first admin
  it('logs in the first admin, once', async () => {
    const app = await start();
    await app.addUser('member');
    await app.addUser('first', true);
    await app.addUser('second', true);
    expect(await isNeeded(app)).toBe(true);
    const answer = await send(app, { setup_token: token });
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { username: 'first', is_admin: true }]);
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
    expect((await app.server.inject({ url: '/api/v1/users/', headers: { cookie } })).statusCode).toBe(200);
    expect(await isNeeded(app)).toBe(false);
    const again = await send(app, { setup_token: token });
    expect([again.statusCode, again.json()]).toEqual([401, invalid]);
  });

  it('logs in only one of many requests at the same time', async () => {
    const app = await start();
    await app.addUser('first', true);
    const answers = await Promise.all(Array.from({ length: 15 }, () => send(app, { setup_token: token })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array<number>(14).fill(401)]);
  });

  it('cannot be guessed: wrong tokens count as failed attempts', async () => {
    const app = await start();
    await app.addUser('first', true);
    for (let count = 0; count < 20; count += 1) {
      const wrong = count % 2 === 0 ? token.slice(0, count) : `${token}${count}`;
      expect((await send(app, { setup_token: wrong })).statusCode).toBe(401);
    }
    expect((await send(app, { setup_token: token })).statusCode).toBe(429);
    app.time.advance(60_000);
    expect((await send(app, { setup_token: token })).statusCode).toBe(200);
  });

  it.each([
    [
      'has logged in with a password',
      async (app: WholeApp) => {
        await app.setPassword('member', 'correct horse battery');
        const payload = { username: 'member', password: 'correct horse battery' };
        expect((await send(app, payload, '/api/v1/auth/token/')).statusCode).toBe(200);
      },
    ],
    [
      'has logged in with an API key',
      async (app: WholeApp, member: string) => expect((await send(app, { api_key: member })).statusCode).toBe(200),
    ],
    ['has given an admin a password', (app: WholeApp) => app.setPassword('first', 'correct horse battery')],
  ])('is not valid any more when somebody %s', async (_what, act) => {
    const app = await start();
    await app.addUser('first', true);
    const { key } = await app.addKey(await app.addUser('member'));
    await act(app, key);
    expect((await send(app, { setup_token: token })).statusCode).toBe(401);
    expect(await isNeeded(app)).toBe(false);
  });

  it('still works if the login could not be stored', async () => {
    const app = await start();
    await app.addUser('first', true);
    const { issue } = app.store.keys;
    const failing: { issue: typeof issue } = app.store.keys;
    failing.issue = () => Promise.reject(new Error('the disk is full'));
    expect((await send(app, { setup_token: token })).statusCode).toBe(500);
    failing.issue = issue;
    expect((await send(app, { setup_token: token })).statusCode).toBe(200);
  });

  it('is never valid in a process that printed none', async () => {
    const app = await start(null);
    await app.addUser('first', true);
    for (const text of ['', 'null', 'undefined', token]) {
      expect((await send(app, { setup_token: text })).statusCode).toBe(401);
    }
  });
});
