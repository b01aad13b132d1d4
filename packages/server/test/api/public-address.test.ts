import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Member, WholeApp } from '../support/whole-app.ts';

describe('a service behind a proxy on the same machine, with a public address', () => {
  let whole: WholeApp;
  let member: Member;

  beforeEach(async () => {
    whole = await WholeApp.start(undefined, { host: '127.0.0.1', publicUrl: 'https://flows.example.com' });
    member = await whole.member('first');
  });
  afterEach(() => whole.close());

  const make = (slug: string, headers: Record<string, string>) =>
    member.inject({ method: 'POST', url: '/api/v1/workflows/', headers, payload: { name: slug, slug } });

  it('answers to the public name if the proxy passes the host on', async () => {
    const headers = { host: 'flows.example.com', origin: 'https://flows.example.com' };
    expect((await make('a', headers)).status).toBe(201);
  });

  it('accepts requests of its own pages if the proxy sends another host', async () => {
    expect((await make('a', { host: '127.0.0.1:7411', origin: 'https://flows.example.com' })).status).toBe(201);
  });

  it('answers to no other name, and accepts nothing from other pages', async () => {
    expect((await make('a', { host: 'evil.example' })).status).toBe(421);
    for (const origin of ['http://flows.example.com', 'https://flows.example.com.evil.example', 'null']) {
      expect((await make('a', { host: '127.0.0.1:7411', origin })).status).toBe(403);
    }
  });
});
