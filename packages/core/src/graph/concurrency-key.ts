import { templateReferences } from '../expression/config/references.ts';
import { parseTemplate } from '../expression/config/template.ts';
import { ExpressionError } from '../expression/expression-error.ts';

/** What there is before a run is: its steps, its id and its loops are not. */
const known: ReadonlySet<string> = new Set(['trigger', 'input']);

/** Says why a `concurrency_key` cannot be used; null when it can. */
export function keyFault(text: string): string | null {
  try {
    // A name that no trigger has would refuse every start: better said once, here.
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
