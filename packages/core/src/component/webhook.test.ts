import { expect, test } from 'vitest';
import { bodyKindOf, isAccepted } from './webhook.ts';

test.each([
  [undefined, 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['application/vnd.api+json', 'json'],
  ['Application/X-WWW-Form-Urlencoded', 'form'],
  ['multipart/form-data; boundary=x', 'multipart'],
  ['multipart/mixed; boundary=x', 'file'],
  ['text/html', 'text'],
  ['text/xml', 'xml'],
  ['application/atom+xml', 'xml'],
  ['image/png', 'file'],
  ['no type', 'file'],
])('a body of the content type %s is parsed as %s', (type, kind) => {
  expect(bodyKindOf(type)).toBe(kind);
  expect(isAccepted([kind], type)).toBe(true);
  expect(isAccepted(['image/gif'], type)).toBe(false);
});
