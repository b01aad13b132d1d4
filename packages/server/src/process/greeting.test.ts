import { expect, test } from 'vitest';
import { greetingOf } from './greeting.ts';

const started = {
  url: 'http://127.0.0.1:7411',
  publicUrl: null,
  dataDir: 'data',
  first: { key: 'mr_key', keyIsNew: true, exampleSlug: 'hello' },
  setupToken: 'token',
} as const;

test('a first start prints the setup link, the address, the key, and a call of the example', () => {
  expect(greetingOf(started)).toEqual([
    'Log in with this link: http://127.0.0.1:7411/setup#token=token',
    'Millrace listens on http://127.0.0.1:7411 (API documentation: http://127.0.0.1:7411/docs)',
    'Admin key, shown only now and stored in data/admin.key: mr_key',
    'Try the example workflow:',
    '  curl -H "Authorization: Bearer mr_key" -d kind=greeting -d name=world http://127.0.0.1:7411/api/v1/webhooks/hello',
  ]);
});

test('a start with a key of the operator does not print the key', () => {
  const lines = greetingOf({ ...started, first: { ...started.first, key: 'secret', keyIsNew: false } });
  expect(lines.join('\n')).not.toContain('secret');
  expect(lines.at(-1)).toContain('Bearer $MILLRACE_API_KEY');
});

test('a later start prints only the address', () => {
  expect(greetingOf({ ...started, first: null, setupToken: null })).toHaveLength(1);
});

test.each([
  ['http://0.0.0.0:80', null, 'http://127.0.0.1:80/setup#token=token'],
  ['http://[::]:80', null, 'http://[::1]:80/setup#token=token'],
  ['http://127.0.0.1:80', 'https://flows.example.com', 'https://flows.example.com/setup#token=token'],
])('the link of a service that listens on %s with the public address %s is %s', (url, publicUrl, link) => {
  expect(greetingOf({ ...started, url, publicUrl })[0]).toBe(`Log in with this link: ${link}`);
});
