import { expect, test } from 'vitest';
import { syntaxIssue } from './syntax.ts';

test.each([
  ['{{ a.b }} and {{ c | upper }}', false],
  ['no expression', false],
  ['a.b + 1', true],
])('%j can be stored (bare: %s)', (text, isBare) => {
  expect(syntaxIssue(text, isBare)).toBeNull();
});

test.each([
  ['{{ a. }}', false, 'column 7'],
  ['{{ a', false, 'column'],
  ['{{ a | nothing }}', false, "no filter 'nothing'"],
  ['a +', true, 'column 4'],
])('%j cannot be stored (bare: %s), because of %j', (text, isBare, reason) => {
  expect(syntaxIssue(text, isBare)).toContain(reason);
});
