import { describe, expect, test } from 'vitest';
import { changeOf, creationOf, formOf, textOf, typedValue } from './variable-form.ts';

const secret = { name: 'token', value: 'abcd****wxyz', is_secret: true, allowed_hosts: ['crm.example'] };
const plain = { name: 'region', value: 'eu', is_secret: false };

describe('a value', () => {
  test.each([
    'eu',
    '',
    '5',
    'true',
    '"quoted"',
    ' x ',
    5,
    null,
    true,
    ['a'],
    { a: 1 },
  ])('%j is read as it is shown', (value) => {
    expect(typedValue(textOf(value))).toEqual(value);
  });
});

describe('the request for a variable', () => {
  test('has JSON for a plain one, and the text for a secret', () => {
    const form = { name: ' n ', value: '5', isSecret: false, hosts: 'unused' };
    expect(creationOf(form)).toEqual({ name: 'n', value: 5 });
    const hosts = 'a.example, b.example\nc.example';
    expect(creationOf({ ...form, isSecret: true, hosts })).toEqual({
      name: 'n',
      value: '5',
      is_secret: true,
      allowed_hosts: ['a.example', 'b.example', 'c.example'],
    });
  });

  test('contains only what was changed, and never the mask of a secret', () => {
    expect(changeOf(secret, formOf(secret))).toEqual({});
    expect(changeOf(secret, { ...formOf(secret), hosts: '' })).toEqual({ allowed_hosts: [] });
    expect(changeOf(secret, { ...formOf(secret), value: 'new' })).toEqual({ value: 'new' });
    expect(changeOf(plain, formOf(plain))).toEqual({});
    expect(changeOf(plain, { ...formOf(plain), value: '7' })).toEqual({ value: 7 });
    expect(changeOf(plain, { ...formOf(plain), isSecret: true, hosts: 'a.example' })).toEqual({
      value: 'eu',
      is_secret: true,
      allowed_hosts: ['a.example'],
    });
  });
});
