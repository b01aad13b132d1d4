import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './redaction.ts';

const secret = "a/secret 'of' (é)";

function redacted(bytes: Buffer, headers = {}) {
  const body = { size: bytes.length, text: () => bytes.toString(), base64: () => bytes.toString('base64') };
  const url = `https://a.example/${encodeURIComponent(secret)}`;
  return withoutSecrets({ url, isFromHome: true, status: 200, headers, body }, [secret]);
}

describe('a secret in an answer', () => {
  it('is masked in the address that answered', () => {
    expect(redacted(Buffer.from('')).url).toBe('https://a.example/****');
  });

  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ key: secret })],
    ['in JSON of ASCII only', '"a/secret \'of\' (\\u00e9)"'],
    ['in JSON with slashes escaped', '"a\\/secret \'of\' (\\u00e9)"'],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL object', new URL(`https://a.example/?key=${encodeURIComponent(secret)}`).search],
    ['in a URL that leaves nothing as it is', 'a%2Fsecret%20%27of%27%20%28%C3%A9%29'],
    ['in a URL with small digits', 'a%2fsecret%20%27of%27%20%28%c3%a9%29'],
    ['in a form', new URLSearchParams({ key: secret }).toString()],
    ['in a URL within a URL', encodeURIComponent(`/?key=${encodeURIComponent(secret)}`)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('is masked %s', (_where, text) => {
    const { headers, body } = redacted(Buffer.from(`before ${text} after`), { 'x-seen': text });
    expect(body.text()).toMatch(/^before .*\*{4}.* after$/);
    expect(headers['x-seen']).toContain('****');
    for (const said of [body.text(), headers['x-seen'], Buffer.from(body.base64(), 'base64').toString()]) {
      expect(said).not.toMatch(/secret|c2Vjc/);
    }
  });

  it('leaves the bytes around it as they are', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect(redacted(bytes).body.base64()).toBe(bytes.toString('base64'));
    const { body } = redacted(Buffer.concat([bytes, Buffer.from(secret), bytes]));
    expect(body.base64()).toBe(Buffer.concat([bytes, Buffer.from('****'), bytes]).toString('base64'));
  });
});
