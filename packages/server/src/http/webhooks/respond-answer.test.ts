import { catalogue } from '@millrace/components';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeAnswer } from './respond-answer.ts';

const names = ['X-Order', 'Cache-Control', 'Server', 'Sec-Fetch-Site', 'Content-Language', 'x'.repeat(101), 'Link'];
const values = ['plain', 'Größe', 'x'.repeat(5000), 'two words'];
const headers = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values));

test('a response has exactly the headers for which the check of its node has no warning', () => {
  fc.assert(
    fc.property(headers, (given) => {
      const issues = catalogue.get('respond')?.issues?.({ headers: given }) ?? [];
      const faulty = new Set(issues.map(({ path }) => path[1]));
      const sent = Object.keys(safeAnswer({ status: 200, headers: given, body: 'ok' }).headers);
      const kept = Object.keys(given).filter((name) => sent.includes(name.toLowerCase()));
      expect(kept).toEqual(Object.keys(given).filter((name) => !faulty.has(name)));
    }),
  );
});

test('a response has the type that its node sets, even for data of an unknown kind', () => {
  const type = (value: string) =>
    safeAnswer({ status: 200, headers: { 'content-type': value }, body: 'ok' }).headers['content-type'];
  expect(type('application/octet-stream')).toBe('application/octet-stream');
  expect(type('image/svg+xml')).toBe('image/svg+xml');
  expect(type('text/html; charset=utf-8')).toBe('text/html; charset=utf-8');
  expect(type('text/javascript')).toBe('text/plain; charset=utf-8');
  expect(type('no type')).toBe('text/plain; charset=utf-8');
});
