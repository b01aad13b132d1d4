import { describe, expect, it } from 'vitest';
import { asHeaders, headerIssues, isConnectionHeader, literalHeaders } from './headers.ts';

const headers = (value: unknown) => asHeaders(value, 'headers', isConnectionHeader);

describe('headers of a config', () => {
  it('have lower-case names and text values', () => {
    expect(headers({ 'X-Count': 3, Accept: ' a ' })).toEqual({ 'x-count': '3', accept: 'a' });
  });

  it('have no white space around them, except a no-break space, which is reported', () => {
    expect(headers({ a: '\t x y \n', b: 'x\u00a0', c: '1\u00a0234' })).toEqual({
      a: 'x y',
      b: 'x\u00a0',
      c: '1\u00a0234',
    });
    const literal = literalHeaders({ a: 'x y', b: 'Bearer\u00a0abc', c: '{{ a }}\u00a0' });
    expect(headerIssues(literal, 'headers', isConnectionHeader)).toEqual([
      {
        path: ['headers', 'b'],
        severity: 'warning',
        message: 'contains a no-break space (U+00A0), which is sent as it is: write a space unless it is meant',
      },
    ]);
  });

  it.each(['\u2009x', '\ufeffx', '\u2028'])('are not shortened by other white space: %j is rejected', (value) => {
    expect(() => headers({ a: value })).toThrow(/'headers.a' must be one line/);
  });

  it('must not differ only in case, because one of them would not be sent', () => {
    const message = "'headers' has 'accept' and 'Accept', which are the same header: remove one.";
    expect(() => headers({ accept: 'a', 'X-A': 'b', Accept: 'a' })).toThrow(message);
    const literal = literalHeaders({ accept: '{{ a }}', 'X-A': 'b', Accept: 'a' });
    expect(headerIssues(literal, 'headers', isConnectionHeader)).toEqual([
      { path: ['headers', 'Accept'], isKey: true, severity: 'error', message },
    ]);
  });

  it('treat a name that has a meaning in JavaScript as a plain key', () => {
    const read = headers(JSON.parse('{"__proto__": "x"}'));
    expect(Object.entries(read)).toEqual([['__proto__', 'x']]);
  });

  it.each(['', 'a b', 'a:', 'a\n', 'ä'])('reject the name %j', (name) => {
    expect(() => headers({ [name]: 'x' })).toThrow(/invalid header name/);
  });

  it.each(['a\r\nb: c', 'a\nb', 'a\0', '\u20ac', 'x'.repeat(9000)])('reject the value %j', (value) => {
    expect(() => headers({ a: value })).toThrow(/'headers.a' must be one line/);
  });

  it('never describe the connection', () => {
    for (const name of ['Host', 'content-LENGTH', 'Transfer-Encoding', 'Upgrade', 'Proxy-Authorization', 'TE']) {
      expect(() => headers({ [name]: 'x' })).toThrow(/the service sets it/);
    }
    expect(headers({ 'Upgrade-Insecure-Requests': '1' })).toEqual({ 'upgrade-insecure-requests': '1' });
  });

  it('are at most fifty', () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`h${index}`, 'x']));
    expect(() => headers(many)).toThrow(/more than 50/);
  });
});
