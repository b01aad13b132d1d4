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

  test.each([
    '/workflows/../../package.json',
    '/assets/../index.html',
    '/assets/missing.js',
    '/.vite/manifest.json',
  ])('has no file at %s', async (url) => {
    expect((await app.server.inject({ url })).payload).not.toMatch(/"dependencies"|isEntry/);
  });
});
