import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WholeApp } from '../support/whole-app.ts';

let app: WholeApp;
beforeAll(async () => {
  app = await WholeApp.start();
});
afterAll(() => app.close());

describe('the web app', () => {
  test.each([
    '/',
    '/login',
    '/workflows/new',
    '/w/orders',
    '/runs/01900000-0000-7000-8000-000000000000',
  ])('has a document at %s, or says that it is not built', async (url) => {
    const { statusCode, headers, payload } = await app.server.inject({ url });
    if (statusCode === 503) {
      expect(payload).toContain('npm start');
      return;
    }
    expect(payload).toContain('<div id="root">');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['cache-control']).toBe('no-cache');
  });

  test.each(['/no/such/page', '/workflow', '/nothing'])('explains at %s that there is no page', async (url) => {
    const asked = await app.server.inject({ url, headers: { accept: 'text/html,application/xhtml+xml' } });
    expect(asked.statusCode).toBe(404);
    // A checkout that has not built the web app has no document.
    if ((await app.server.inject({ url: '/' })).statusCode === 503) return;
    expect(asked.payload).toContain('<div id="root">');
    expect(asked.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test.each([
    ['/api/v1/nothing/', 'text/html'],
    ['/ws/nothing', 'text/html'],
    ['/no/such/page', 'application/json'],
    ['/no/such/page', '*/*'],
  ])('answers a program at %s with JSON for %s', async (url, accept) => {
    const { statusCode, payload } = await app.server.inject({ url, headers: { accept } });
    expect([statusCode, payload]).toEqual([404, '{"detail":"Not found"}']);
  });

  test('has each of its parts, compressed and for a year', async () => {
    const { payload, statusCode } = await app.server.inject({ url: '/' });
    // A checkout that has not built the web app has no parts.
    if (statusCode === 503) return;
    const [part = ''] = /\/assets\/[^"]+\.js/.exec(payload) ?? [];
    const sent = await app.server.inject({ url: part, headers: { 'accept-encoding': 'br' } });
    expect([sent.statusCode, sent.headers['content-encoding']]).toEqual([200, 'br']);
    expect(sent.headers['content-type']).toContain('javascript');
    expect(sent.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await app.server.inject({ url: `${part}.br` })).statusCode).toBe(404);
  });

  test.each([
    '/assets/..%2findex.html',
    '/workflows/../../package.json',
    '/assets/../index.html',
    '/assets/missing.js',
    '/.vite/manifest.json',
  ])('has no file at %s', async (url) => {
    expect((await app.server.inject({ url })).payload).not.toMatch(/"dependencies"|isEntry/);
  });
});
