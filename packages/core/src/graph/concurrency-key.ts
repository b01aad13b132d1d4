import { templateReferences } from '../expression/config/references.ts';
import { parseTemplate } from '../expression/config/template.ts';
import { ExpressionError } from '../expression/expression-error.ts';

/** The names that exist before a run does: its steps, its id and its loops do not. */
const known: ReadonlySet<string> = new Set(['trigger', 'input']);

/** Returns the reason why a `concurrency_key` cannot be used; null if it can. */
export function keyIssue(text: string): string | null {
  try {
    // An expression with an unknown name would reject every start, so it is reported once, here.
    const stranger = templateReferences(parseTemplate(text))
      .filter(({ isOptional }) => !isOptional)
      .map(({ path }) => path[0])
      .find((name) => name !== undefined && !known.has(name));
    return stranger === undefined ? null : `There is no '${stranger}' here: only trigger and input are known so early.`;
  } catch (error) {
    if (error instanceof ExpressionError) return error.reason;
    throw error;
  }
}
