import { apiKeyList, issuedKey, login, userList } from '@millrace/contract';
import { Problem } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/users/';
const password = 'correct horse battery';
const notFound = { status: 404, body: { detail: 'User not found.' } };
const forbidden = { status: 403, body: { detail: 'Only an admin may manage users.' } };

let running: Running;
let admin: Person;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  admin = await running.addPerson('root', 'full', true);
  member = await running.addPerson('member');
});

function logIn(username: string, attempt = password) {
  return apiOf(running.app, null).post('/api/v1/auth/token/', { username, password: attempt });
}

describe('users', () => {
  it('are listed by an admin, newest first', async () => {
    running.time.advance(1000);
    await admin.post(path, { username: 'Newcomer' });
    const { items, total } = userList.parse((await admin.get(`${path}?limit=2`)).body);
    expect(items.map(({ username }) => username)).toEqual(['Newcomer', 'member']);
    expect(total).toBe(3);
  });

  it('are created by an admin, with a password or without', async () => {
    const made = await admin.post(path, { username: 'visitor' });
    const body = { id: expect.any(Number), username: 'visitor', is_admin: false };
    expect(made).toMatchObject({ status: 201, body });
    expect((await admin.post(path, { username: 'boss', is_admin: true })).body).toMatchObject({ is_admin: true });
  });

  it.each([
    [{}, 'username'],
    [{ username: '' }, 'username'],
    [{ username: 'me' }, 'username'],
    [{ username: 'a b' }, 'username'],
    [{ username: 'x'.repeat(101) }, 'username'],
    [{ username: null }, 'username'],
    [{ username: 'x', password: 'Too short' }, 'password'],
    [{ username: 'x', password: 'Password123' }, 'password'],
    [{ username: 'a.long.name', password: 'a.long.name' }, 'password'],
    [{ username: 'x', password: 'x'.repeat(201) }, 'password'],
    [{ username: 'x', is_admin: 'yes' }, 'is_admin'],
  ])('are not created from %j, and the error names the field', async (body, field) => {
    expect(await admin.post(path, body)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });

  it('have unique names, ignoring case', async () => {
    const answer = await admin.post(path, { username: 'MEMBER' });
    expect(answer).toMatchObject({ status: 409, body: { detail: "User 'MEMBER' already exists." } });
    expect((await admin.patch(`${path}Member/`, {})).body).toMatchObject({ username: 'member' });
  });

  it('are not accessible without the admin role, whether they exist or not', async () => {
    expect(await member.get(path)).toMatchObject(forbidden);
    expect(await member.post(path, {})).toMatchObject(forbidden);
    for (const name of ['root', 'nobody']) {
      expect(await member.patch(`${path}${name}/`, { is_admin: 5 })).toMatchObject(forbidden);
      expect(await member.delete(`${path}${name}/`)).toMatchObject(forbidden);
    }
    expect(await admin.patch(`${path}nobody/`, {})).toMatchObject(notFound);
    expect(await admin.delete(`${path}nobody/`)).toMatchObject(notFound);
  });

  it('can read their own data', async () => {
    for (const own of ['/api/v1/users/me/', '/api/v1/auth/me/']) {
      expect((await member.get(own)).body).toMatchObject({ username: 'member', is_admin: false });
    }
  });
});

describe('an admin', () => {
  it('may give another user the admin role and remove it, with effect from the next request', async () => {
    expect((await member.get(path)).status).toBe(403);
    expect((await admin.patch(`${path}member/`, { is_admin: true })).status).toBe(200);
    expect((await member.get(path)).status).toBe(200);
    await member.patch(`${path}root/`, { is_admin: false });
    expect(await admin.get(path)).toMatchObject(forbidden);
  });

  it('who is the last one cannot be demoted or deleted', async () => {
    const conflict = { status: 409, body: { detail: "'root' is the last admin: make another user an admin first." } };
    expect(await admin.patch(`${path}root/`, { is_admin: false })).toMatchObject(conflict);
    expect(await admin.delete(`${path}root/?transfer_to=member`)).toMatchObject(conflict);
    expect((await admin.patch(`${path}root/`, { is_admin: true })).status).toBe(200);
  });

  it('has no access to workflows of others', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } });
    expect((await admin.post('/api/v1/webhooks/hook', {})).status).toBe(404);
    expect((await admin.get('/api/v1/executions/')).body).toEqual({ items: [], total: 0 });
  });
});

describe('deleting a user', () => {
  it('takes effect at once, and makes the name available again', async () => {
    expect((await member.get('/api/v1/auth/me/')).status).toBe(200);
    expect((await admin.delete(`${path}member/`)).status).toBe(204);
    expect((await member.get('/api/v1/auth/me/')).status).toBe(401);
    expect(await admin.delete(`${path}member/`)).toMatchObject(notFound);
    const again = await admin.post(path, { username: 'member' });
    expect(again.status).toBe(201);
    expect(again.body).not.toMatchObject({ id: member.user.id });
  });

  it('transfers their workflows and runs to the admin, and stops nothing', async () => {
    await running.addWorkflow(member.user, 'hook', {
      nodes: { start: 'trigger_webhook' },
      fields: { isDefault: true },
    });
    await member.post('/api/v1/webhooks/hook', {});
    await admin.delete(`${path}member/`);
    expect((await admin.get('/api/v1/executions/')).body).toMatchObject({ items: [{ status: 'pending' }], total: 1 });
    expect((await admin.post('/api/v1/webhooks/hook', {})).status).toBe(200);
    expect((await admin.get('/api/v1/executions/?workflow_slug=hook')).body).toMatchObject({ total: 2 });
    expect(await running.store.workflows.bySlug('hook')).toMatchObject({ ownerId: admin.user.id, isDefault: false });
  });

  it('transfers them to the user that the admin names', async () => {
    const heir = await running.addPerson('heir');
    const { id: workflowId } = await running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } });
    const at = running.time.clock.now();
    await running.store.collaborators.insert({ workflowId, userId: heir.user.id, role: 'viewer', at });
    for (const name of ['nobody', 'member']) {
      const answer = await admin.delete(`${path}member/?transfer_to=${name}`);
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'transfer_to'] }] } });
    }
    expect((await admin.delete(`${path}member/?transfer_to=heir`)).status).toBe(204);
    expect(await running.store.workflows.list({ visibleTo: heir.user.id, limit: 9, offset: 0 })).toMatchObject({
      total: 1,
    });
    expect(await running.store.collaborators.listOf(workflowId)).toEqual([]);
    expect((await admin.post('/api/v1/webhooks/hook', {})).status).toBe(404);
  });

  it('fails if the new owner cannot be looked up, without blaming the name', async () => {
    const { users } = running.store;
    const { byUsername } = users;
    users.byUsername = async (name) => {
      if (name === 'root') throw new Problem('store_unavailable', 'The database cannot be read now.');
      return byUsername(name);
    };
    expect((await admin.delete(`${path}member/?transfer_to=root`)).status).toBe(503);
  });

  it('may delete the calling admin, if another one takes over', async () => {
    await admin.patch(`${path}member/`, { is_admin: true });
    expect((await admin.delete(`${path}root/`)).status).toBe(422);
    expect((await admin.delete(`${path}root/?transfer_to=member`)).status).toBe(204);
    expect((await admin.get('/api/v1/auth/me/')).status).toBe(401);
  });
});

describe('a login', () => {
  beforeEach(() => admin.post(path, { username: 'visitor', password }));

  it('returns a key for a week with the rights of the user', async () => {
    const answer = await logIn('Visitor');
    expect(answer.status).toBe(200);
    const { token, token_type, expires_at, key_id } = login.parse(answer.body);
    expect([token_type, expires_at]).toEqual(['bearer', '2026-01-08T00:00:00.000000']);
    const visitor = apiOf(running.app, token);
    expect((await visitor.get('/api/v1/auth/me/')).body).toMatchObject({ username: 'visitor' });
    expect((await visitor.delete(`/api/v1/users/me/keys/${key_id}/`)).status).toBe(204);
    expect((await visitor.get('/api/v1/auth/me/')).status).toBe(401);
  });

  it('fails with the same message for a wrong password, an unknown user, and one without a password', async () => {
    const rejected = { status: 401, body: { detail: 'Invalid username or password.' } };
    expect(await logIn('visitor', 'wrong')).toMatchObject(rejected);
    expect(await logIn('nobody')).toMatchObject(rejected);
    expect(await logIn('member')).toMatchObject(rejected);
    expect((await apiOf(running.app, null).post('/api/v1/auth/token/', { username: 'visitor' })).status).toBe(422);
  });

  it('is rejected for a minute after 20 wrong ones, even with the right password', async () => {
    for (let count = 0; count < 20; count += 1) expect((await logIn('visitor', 'wrong')).status).toBe(401);
    const answer = await logIn('visitor');
    expect(answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
      body: { detail: 'Too many wrong passwords. Try again in 60 s.' },
    });
    running.time.advance(60_000);
    expect((await logIn('visitor')).status).toBe(200);
  });

  it('is not delayed by right ones, nor by wrong API keys and webhook senders', async () => {
    for (let count = 0; count < 30; count += 1) {
      await apiOf(running.app, 'wrong-key').get('/api/v1/auth/me/');
      await apiOf(running.app, 'wrong-key').post('/api/v1/webhooks/nothing/', {});
    }
    for (let count = 0; count < 30; count += 1) expect((await logIn('visitor')).status).toBe(200);
  });

  it('ends when the password changes, with the keys created in it, and expired ones are removed from the list', async () => {
    const first = login.parse((await logIn('visitor')).body);
    running.time.advance(8 * 24 * 3_600_000);
    const visitor = apiOf(running.app, login.parse((await logIn('visitor')).body).token);
    const keys = apiKeyList.parse((await visitor.get('/api/v1/users/me/keys/')).body);
    expect(keys.map(({ id }) => id)).not.toContain(first.key_id);
    const made = issuedKey.parse((await visitor.post('/api/v1/users/me/keys/', { name: 'script' })).body);
    const change = { password: 'a better password' };
    expect(await visitor.patch('/api/v1/users/me/', change)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'current_password'], msg: 'is not your password' }] },
    });
    expect((await visitor.patch('/api/v1/users/me/', { ...change, current_password: password })).status).toBe(200);
    expect((await visitor.get('/api/v1/auth/me/')).status).toBe(401);
    expect((await apiOf(running.app, made.key).get('/api/v1/auth/me/')).status).toBe(401);
    expect((await logIn('visitor', change.password)).status).toBe(200);
  });

  it("does not allow more guesses at one's own password than 20 and then one a minute", async () => {
    const visitor = apiOf(running.app, login.parse((await logIn('visitor')).body).token);
    const guess = { password: 'a better password', current_password: 'a guess' };
    for (let count = 0; count < 30; count += 1) {
      const common = { ...guess, password: 'Password123' };
      // Not a guess: the new password is rejected before the present one is checked.
      expect((await visitor.patch('/api/v1/users/me/', common)).status).toBe(422);
    }
    for (let count = 0; count < 20; count += 1) {
      expect((await visitor.patch('/api/v1/users/me/', guess)).status).toBe(422);
    }
    const right = { ...guess, current_password: password };
    expect((await visitor.patch('/api/v1/users/me/', right)).status).toBe(429);
    running.time.advance(60_000);
    expect((await visitor.patch('/api/v1/users/me/', right)).status).toBe(200);
  });

  it('works with a new password set by an admin', async () => {
    await admin.patch(`${path}visitor/`, { password: 'given by an admin' });
    expect((await logIn('visitor')).status).toBe(401);
    expect((await logIn('visitor', 'given by an admin')).status).toBe(200);
  });
});
