import type { Expression, ExpressionNode } from './ast.ts';
import { ExpressionError, placeAt } from './expression-error.ts';
import { parseConditional, unexpected } from './grammar.ts';
import { TokenStream } from './token-stream.ts';

/** An expression inside a template, and the offset at which the template continues. */
export interface EmbeddedExpression {
  readonly expression: Expression;
  readonly end: number;
}

/**
 * Parses an expression.
 * @throws ExpressionError
 */
export function parseExpression(text: string): Expression {
  const tokens = new TokenStream(text, 0);
  const root = parseRoot(tokens);
  if (tokens.current.kind !== 'end') unexpected(tokens);
  return { text, root };
}

/**
 * Parses the expression after a `{{` that ends at `start`, up to its `}}`.
 * @throws ExpressionError
 */
export function parseEmbedded(text: string, start: number): EmbeddedExpression {
  const sign = text[start];
  if (sign === '-' || sign === '+') {
    // Jinja trims white space here. Reading a sign instead would silently negate a number.
    throw new ExpressionError(
      `Put a space between '{{' and '${sign}'; white space is not trimmed.`,
      placeAt(text, start),
    );
  }
  const tokens = new TokenStream(text, start);
  if (tokens.current.kind === 'end') tokens.fail(unclosed, start - 2);
  const root = parseRoot(tokens);
  const { current } = tokens;
  if (current.kind === 'end') tokens.fail(unclosed, start - 2);
  if (!tokens.isSymbol('}') || text[current.end] !== '}') unexpected(tokens);
  return { expression: { text, root }, end: current.end + 1 };
}

const leadingDot =
  "An expression does not begin with '.': write 'trigger.payload.<name>', 'vars.<name>' or '<node>.<port>'.";
const unclosed = "This '{{' has no closing '}}'; a literal '{{' is written {{ '{{' }}.";

function parseRoot(tokens: TokenStream): ExpressionNode {
  if (tokens.current.kind === 'end' || tokens.isSymbol('}')) tokens.fail('The expression is empty.');
  if (tokens.isSymbol('.')) tokens.fail(leadingDot);
  return parseConditional(tokens);
}
