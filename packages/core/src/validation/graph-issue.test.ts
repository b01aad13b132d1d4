import { expect, test } from 'vitest';
import { type GraphIssue, limitIssues, maxIssues, moreIssues } from './graph-issue.ts';

function issue(code: GraphIssue['code'], severity: GraphIssue['severity'] = 'error'): GraphIssue {
  return { code, severity, message: code };
}

function many(count: number, each: GraphIssue): readonly GraphIssue[] {
  return Array.from({ length: count }, () => ({ ...each }));
}

test('a list of up to 500 issues is complete', () => {
  const issues = many(maxIssues, issue('unordered', 'warning'));
  expect(limitIssues(issues)).toBe(issues);
});

test('a longer list ends with an issue that says that there are more', () => {
  const listed = limitIssues(many(maxIssues + 1, issue('unordered', 'warning')));
  expect(listed).toHaveLength(maxIssues + 1);
  expect(listed.at(-1)).toBe(moreIssues);
});

test('errors are listed before warnings, and errors that prevent storing before others', () => {
  const issues = [
    ...many(400, issue('unordered', 'warning')),
    ...many(499, issue('unknown_name')),
    issue('expression'),
    ...many(3, issue('unreachable', 'warning')),
  ];
  const codes = limitIssues(issues).map(({ code }) => code);
  expect(codes).toEqual([...Array.from({ length: 499 }, () => 'unknown_name'), 'expression', 'more_issues']);
});
