import { describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { startRunning } from '../support/running.ts';

const path = '/api/v1/auth/session/';
const password = 'correct horse battery';
const host = 'localhost:7411';
const origin = `http://${host}`;

describe('a login during a flood of wrong passwords', () => {
  it('succeeds from a known browser, a known network and a new one', async () => {
    const running = await startRunning({ withRunner: false });
    const member = await running.addPerson('member');
    await member.patch('/api/v1/users/me/', { password });
    const nobody = apiOf(running.app, null);
    const from = (remoteAddress: string, attempt: string, cookie = '') =>
      nobody.inject({
        method: 'POST',
        url: path,
        remoteAddress,
        headers: { host, origin, cookie },
        payload: { username: 'member', password: attempt },
      });
    const [, device] = [(await from('192.0.2.1', password)).headers['set-cookie']].flat();
    const known = String(device).split(';')[0] ?? '';
    const flood = async (addressOf: (index: number) => string, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) await from(addressOf(index), 'wrong');
    };
    await flood(() => '198.51.100.1', 30);
    // A network of IPv6 addresses counts as one.
    await flood((index) => `2001:db8::${index}`, 30);
    expect((await from('198.51.100.1', password)).status).toBe(429);
    expect((await from('2001:db8::ffff', password)).status).toBe(429);
    expect((await from('198.51.100.1', password, known)).status).toBe(200);
    expect((await from('192.0.2.1', password)).status).toBe(200);
    expect((await from('203.0.113.1', password)).status).toBe(200);
    // The token of a browser is worth nothing for another account.
    const other = { username: 'other', password: 'wrong' };
    const headers = { host, origin, cookie: known };
    const request = { method: 'POST', url: path, remoteAddress: '198.51.100.1', headers, payload: other } as const;
    expect((await nobody.inject(request)).status).toBe(429);
  });
});
