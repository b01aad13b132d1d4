import { describe, expect, test } from 'vitest';
import { Meter, runThrough } from '../base/meter.ts';
import type { Json } from '../json.ts';
import { encodeBody } from './request-body.ts';

const file = { name: 'a.png', content_type: 'image/png', base64: 'AAEC' };
const encoded = (body: Json | undefined, contentType?: string) =>
  runThrough(encodeBody(body, { contentType, boundary: 'boundary' }));

describe('a body', () => {
  test.each<[string, Json | undefined, string | undefined, unknown, string | null]>([
    ['nothing', undefined, undefined, null, null],
    ['null', null, undefined, null, null],
    ['text', 'a', undefined, 'a', 'text/plain; charset=utf-8'],
    ['text of a type', '<a/>', 'application/xml', '<a/>', 'application/xml'],
    ['a written form', 'a=1', 'application/x-www-form-urlencoded', 'a=1', 'application/x-www-form-urlencoded'],
    ['an object', { a: 1 }, undefined, '{"a":1}', 'application/json'],
    ['an object of a type', { a: 1 }, 'application/problem+json', '{"a":1}', 'application/problem+json'],
    ['a list', [1], undefined, '[1]', 'application/json'],
    ['a file', file, undefined, [{ base64: 'AAEC' }], 'image/png'],
    ['a file of another type', file, 'image/x-png', [{ base64: 'AAEC' }], 'image/x-png'],
    ['a file as JSON', file, 'application/json', JSON.stringify(file), 'application/json'],
    ['more than a file', { ...file, id: 1 }, undefined, JSON.stringify({ ...file, id: 1 }), 'application/json'],
    [
      'an object as a form',
      { a: 'b c', list: [1, true], nothing: null, 'k&': '=' },
      'Application/X-WWW-Form-Urlencoded; charset=utf-8',
      'a=b%20c&list=1&list=true&k%26=%3D',
      'Application/X-WWW-Form-Urlencoded; charset=utf-8',
    ],
  ])('that is %s is sent according to its type', (_what, body, contentType, sent, type) => {
    expect(encoded(body, contentType)).toEqual({ body: sent, contentType: type });
  });

  test.each<[string, Json, string]>([
    ['a list as a form', [1], 'application/x-www-form-urlencoded'],
    ['an object in a form', { a: { b: 1 } }, 'application/x-www-form-urlencoded'],
    ['a file in a form', { a: file }, 'application/x-www-form-urlencoded'],
    ['text in a list as multipart', ['a'], 'multipart/form-data'],
    ['an object in multipart', { a: { b: 1 } }, 'multipart/form-data'],
    ['a file that is not base64', { a: { ...file, base64: 'A' } }, 'multipart/form-data'],
    ['a type of two lines', { a: { ...file, content_type: 'a/b\r\nx: y' } }, 'multipart/form-data'],
    ['a file of no type', { ...file, content_type: '' }, ''],
  ])('is never %s', (_what, body, type) => {
    expect(() => encoded(body, type === '' ? undefined : type)).toThrow(/^'body/);
  });
});

test.each([
  undefined,
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])('a large body of type %s counts as work of the step', (contentType) => {
  const work = encodeBody(
    { text: 'x'.repeat(1_000_000) },
    { contentType, boundary: 'b', meter: new Meter(() => 0, 30_000) },
  );
  expect(() => runThrough(work)).toThrow(expect.objectContaining({ code: 'work_limit' }));
});
