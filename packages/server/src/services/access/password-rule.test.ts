import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requireUncommon } from './password-rule.ts';

const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

function issueOf(password: string, username = 'operator'): unknown {
  try {
    requireUncommon(password, username);
    return null;
  } catch (error) {
    return (error as { detail: readonly { msg: string }[] }).detail[0]?.msg;
  }
}

it.each([
  'correct horse battery',
  'a long sentence',
  'operator of flows',
  'Grüße aus dem Süden',
  'x7$Kq!29vBnW',
])('accepts %s', (password) => {
  expect(issueOf(password)).toBeNull();
});

it.each([
  ['qwertyuiop', 'is a common password: use another one, such as four random words'],
  ['Password123', 'is a common password: use another one, such as four random words'],
  ['aaaaaaaaaaaa', 'must have at least 4 different characters'],
  ['1212121212', 'must have at least 4 different characters'],
])('rejects %s: it %s', (password, issue) => {
  expect(issueOf(password)).toBe(issue);
});

it('rejects the name of the user, in upper or lower case', () => {
  expect(issueOf('Long.Operator', 'long.operator')).toBe('must differ from the user name');
});

it('has a list of thousands, each in lower case and long enough to be a password', () => {
  expect(list.length).toBeGreaterThan(6000);
  expect(new Set(list).size).toBe(list.length);
  expect(list.filter((word) => word.length < 10 || word !== word.toLowerCase())).toEqual([]);
  expect(list.filter((word) => issueOf(word) === null)).toEqual([]);
});
