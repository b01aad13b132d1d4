import { syntaxIssue } from '@millrace/core/syntax';

/** The first mistake in the expressions of a value, wherever its texts are; null if there is none. */
export function valueSyntaxIssue(value: unknown, isBare: boolean): string | null {
  if (typeof value === 'string') return isBare || value.includes('{{') ? syntaxIssue(value, isBare) : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const inner of Object.values(value)) {
    const issue = valueSyntaxIssue(inner, false);
    if (issue !== null) return issue;
  }
  return null;
}
