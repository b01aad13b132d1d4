import type { valueSyntaxIssue } from '../expression/value-syntax.ts';
import { missingIn } from '../fields/missing.ts';
import type { NodeField } from '../fields/node-fields.ts';

type Check = typeof valueSyntaxIssue;

let loaded: Check | null = null;

/** Loads the parser of expressions, which only edits need. */
export async function loadSyntaxCheck(): Promise<void> {
  loaded = (await import('../expression/value-syntax.ts')).valueSyntaxIssue;
}

/** Kinds whose texts are not evaluated. */
const literal: ReadonlySet<string> = new Set(['code', 'markdown', 'cron', 'model']);

/**
 * Why the service would reject a value: a key is missing in it, or an expression has a mistake. Null if there is no
 * reason. Expressions are checked once the parser is loaded.
 */
export function rejectionOf(nodeField: NodeField, value: unknown): string | null {
  return missingIn(nodeField, value) ?? syntaxIssueOf(nodeField, value);
}

function syntaxIssueOf({ field, hasExpressions }: NodeField, value: unknown): string | null {
  if (loaded === null || value === undefined || !hasExpressions || literal.has(field.kind)) return null;
  if (field.kind === 'text' && field.isCode === true) return null;
  return loaded(value, field.kind === 'expression');
}
