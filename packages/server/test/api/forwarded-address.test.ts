import { afterEach, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { WholeApp } from '../support/whole-app.ts';

let whole: WholeApp;

afterEach(() => whole.close());

const start = async (trustProxy: readonly string[]): Promise<void> => {
  whole = await WholeApp.start(undefined, { host: '127.0.0.1', trustProxy });
};

/** A guess at a key: the peer that sent it to this service, and the sender that the peer reports. */
const guess = async (peer: string, headers: Record<string, string>, url = '/api/v1/auth/me/') =>
  (await apiOf(whole.server, 'mr_wrong').inject({ method: 'GET', url, remoteAddress: peer, headers })).status;

/** As many guesses as one address may make in a minute, and one more. */
async function exhaust(peer: string, forwarded: string): Promise<number> {
  for (let count = 0; count < 20; count += 1) await guess(peer, { 'x-forwarded-for': forwarded });
  return guess(peer, { 'x-forwarded-for': forwarded });
}

it('counts wrong keys by the address that a trusted proxy reports, so that callers behind it do not share a limit', async () => {
  await start(['10.0.0.0/8', '::1']);
  expect(await exhaust('10.0.0.1', '203.0.113.7')).toBe(429);
  expect(await guess('10.0.0.1', { 'x-forwarded-for': '203.0.113.8' })).toBe(401);
  // The same caller through another proxy, or with an IPv6 listener, is still the same caller.
  expect(await guess('::1', { 'x-forwarded-for': '203.0.113.7' })).toBe(429);
  expect(await guess('::ffff:10.0.0.2', { 'x-forwarded-for': '203.0.113.7' })).toBe(429);
});

it('uses the last address that is not a trusted proxy, whatever the caller wrote before it', async () => {
  await start(['10.0.0.0/8']);
  expect(await exhaust('10.0.0.1', '203.0.113.7, 10.0.0.2')).toBe(429);
  expect(await guess('10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 10.0.0.2' })).toBe(429);
  expect(await guess('10.0.0.1', { 'x-forwarded-for': '10.0.0.9, 203.0.113.7' })).toBe(429);
});

it('ignores the header of other peers', async () => {
  await start(['10.0.0.0/8']);
  expect(await exhaust('203.0.113.7', '198.51.100.1')).toBe(429);
  expect(await guess('203.0.113.7', { 'x-forwarded-for': '198.51.100.2' })).toBe(429);
});

it('ignores the header if no proxy is configured', async () => {
  await start([]);
  expect(await exhaust('127.0.0.1', '198.51.100.1')).toBe(429);
  expect(await guess('127.0.0.1', { 'x-forwarded-for': '198.51.100.2' })).toBe(429);
});

it('lets nobody, not even a trusted proxy, replace the host or origin of the request', async () => {
  await start(['127.0.0.1']);
  const member = await whole.member('first');
  const make = async (headers: Record<string, string>) =>
    (await member.inject({ method: 'POST', url: '/api/v1/workflows/', headers, payload: { name: 'a', slug: 'a' } }))
      .status;
  expect(await make({ host: 'evil.example', 'x-forwarded-host': 'localhost' })).toBe(421);
  const foreign = { host: 'localhost', origin: 'http://evil.example' };
  expect(await make({ ...foreign, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' })).toBe(403);
  expect(await make({ host: 'localhost', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })).toBe(201);
});
