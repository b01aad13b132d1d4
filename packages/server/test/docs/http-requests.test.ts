import { readFileSync } from 'node:fs';
import { catalogue } from '@millrace/components';
import { compileConfig, isFile, type Json, resolveConfig } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import type { WholeApp } from '../support/whole-app.ts';

const page = readFileSync(new URL('../../../../docs/http-requests.md', import.meta.url), 'utf8');

let app: WholeApp;
let api: Api;
beforeAll(async () => {
  app = await startLocalApp();
  api = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());

describe('the page on HTTP requests', () => {
  const payload = JSON.parse(/With this payload:\s+```json\n([^`]*)```/.exec(page)?.[1] ?? '') as Json;
  const rows = [...page.matchAll(/^\| `(.*\{\{.*)` \| `(https:.*)` \|$/gm)].map(([, url = '', sent = '']) => ({
    url,
    sent,
  }));

  test('has a table of URLs', () => expect(rows.length).toBeGreaterThan(4));

  test.each(rows)('describes where a request to $url is sent', ({ url, sent }) => {
    const scope = {
      lookup: (name: string) => (name === 'trigger' ? { payload } : undefined),
      names: () => ['trigger'],
    };
    const compiled = compileConfig({ url }, catalogue.get('http_request'));
    expect(resolveConfig(compiled, scope)).toEqual({ url: sent });
  });

  test('has a workflow that sends a form and a file', async () => {
    const remote = await Remote.start();
    remote.answer = (request, response) => {
      if (request.method === 'GET') response.setHeader('content-type', 'image/png').end('a photo');
      else response.end('{}');
    };
    const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const yaml_str = text.replaceAll('https://photos.example', remote.origin);
    expect(await api.post('/api/v1/workflows/import/', { yaml_str })).toMatchObject({ status: 201 });
    const run = { payload: { album: 'My cats' }, wait: true };
    const { body } = await api.post('/api/v1/workflows/photo-upload/execute/', run);
    expect(body).toMatchObject({ status: 'completed' });
    const [form, , upload] = remote.received;
    expect(form?.body.toString()).toBe('user=millrace&scope=read&scope=write');
    expect(upload?.url).toBe('/albums/My%20cats');
    expect(upload?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(upload?.body.toString()).toContain('filename="cat.png"\r\nContent-Type: image/png\r\n\r\na photo\r\n');
  });

  test('shows a file as in the real output', () => {
    const [, text = ''] = /```json\n(.*"base64".*)\n```/.exec(page) ?? [];
    expect(isFile(JSON.parse(text) as Json)).toBe(true);
  });
});
