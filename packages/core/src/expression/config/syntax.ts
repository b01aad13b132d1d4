import { ExpressionError } from '../expression-error.ts';
import { parseExpression } from '../parse.ts';
import { parseTemplate } from './template.ts';

/** Why a text of a config cannot be stored: a mistake in one of its expressions; null if there is none. */
export function syntaxIssue(text: string, isBare: boolean): string | null {
  try {
    if (isBare) parseExpression(text);
    else parseTemplate(text);
    return null;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}
