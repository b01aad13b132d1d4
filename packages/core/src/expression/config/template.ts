import type { Json } from '../../json.ts';
import type { Expression } from '../ast.ts';
import { type EvaluateOptions, evaluateIn } from '../evaluate.ts';
import { Evaluation } from '../evaluation.ts';
import { ExpressionError, placeAt } from '../expression-error.ts';
import { defaultFuel, maxConfigExpressions, maxTemplateLength } from '../limits.ts';
import { parseEmbedded } from '../parse.ts';
import type { Scope } from '../scope.ts';
import { toText } from '../text.ts';

/** Text without an expression. */
export interface StaticTemplate {
  readonly kind: 'static';
  readonly text: string;
}

/** One expression with only white space around it: its value retains its type. */
export interface ExpressionTemplate {
  readonly kind: 'expression';
  readonly text: string;
  readonly expression: Expression;
}

/** Expressions with text between them: the result is text. */
export interface MixedTemplate {
  readonly kind: 'mixed';
  readonly text: string;
  readonly parts: readonly (string | Expression)[];
}

/** Text in which each `{{ … }}` is replaced by the value of an expression. */
export type Template = StaticTemplate | ExpressionTemplate | MixedTemplate;

/** The expressions of a template, in its order. */
export function expressionsIn(template: Template): readonly Expression[] {
  switch (template.kind) {
    case 'static':
      return [];
    case 'expression':
      return [template.expression];
    case 'mixed':
      return template.parts.filter((part) => typeof part !== 'string');
  }
}

/** The error for a config, or one of its texts, with too many expressions. */
export function tooManyExpressions(text: string): ExpressionError {
  return new ExpressionError(`A config has at most ${maxConfigExpressions} expressions.`, placeAt(text, 0));
}

/** The number of errors reported for one text: more than a user fixes before checking again. */
const maxIssues = 20;

/**
 * Parses a template. A literal `{{` is written `{{ '{{' }}`.
 * @param onError is called for each invalid expression, which then stays text; for checks that list all errors
 * @throws ExpressionError without `onError`
 */
export function parseTemplate(text: string, onError?: (error: unknown) => void): Template {
  if (!text.includes('{{')) {
    rejectBlocks(text, [[0, text.length]], onError);
    return { kind: 'static', text };
  }
  if (text.length > maxTemplateLength) {
    const reason = `A text with expressions has at most ${maxTemplateLength} characters.`;
    throw new ExpressionError(reason, placeAt(text, 0));
  }
  const parts: (string | Expression)[] = [];
  const literals: (readonly [from: number, end: number])[] = [];
  let from = 0;
  let issues = 0;
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', from)) {
    if (parts.length > 2 * maxConfigExpressions) throw tooManyExpressions(text);
    if (at > from) parts.push(text.slice(from, at));
    literals.push([from, at]);
    try {
      const { expression, end } = parseEmbedded(text, at + 2);
      parts.push(expression);
      from = end;
    } catch (error) {
      issues += 1;
      const close = text.indexOf('}}', at);
      if (onError === undefined) throw error;
      onError(error);
      from = close === -1 || issues === maxIssues ? text.length : close + 2;
      parts.push(text.slice(at, from));
    }
  }
  if (from < text.length) parts.push(text.slice(from));
  rejectBlocks(text, [...literals, [from, text.length]], onError);
  const substantial = parts.filter((part) => typeof part !== 'string' || part.trim() !== '');
  const [only] = substantial;
  if (substantial.length === 1 && typeof only === 'object') return { kind: 'expression', text, expression: only };
  return { kind: 'mixed', text, parts };
}

/** The other brackets of Jinja, and what to write in their place. */
const blocks = [
  {
    open: '{%',
    close: '%}',
    // Also without an end, after which the rest of the text would be sent as it is.
    begins:
      /\{%[-+]?\s*(?:if|elif|else|endif|for|endfor|set|endset|macro|endmacro|call|filter|block|include|import|from|extends|raw|endraw|with|endwith)\b/,
    reason:
      "'{% … %}' is not supported: write {{ a if condition else b }}, a filter such as map or join, or use a switch or a loop; a literal '{%' is written {{ '{%' }}.",
  },
  {
    open: '{#',
    close: '#}',
    begins: null,
    reason: "Comments, '{# … #}', are not supported: remove it; a literal '{#' is written {{ '{#' }}.",
  },
] as const;

/** Reports the first block of each kind in the parts of a text outside of its expressions: it would be sent as it is. */
function rejectBlocks(
  text: string,
  literals: readonly (readonly [from: number, end: number])[],
  onError: ((error: unknown) => void) | undefined,
): void {
  for (const { open, close, begins, reason } of blocks) {
    if (!text.includes(open)) continue;
    const lastClose = text.lastIndexOf(close);
    const starts = literals.map(([from, end]) => {
      const literal = text.slice(from, end);
      const found = literal.indexOf(open);
      const at = found !== -1 && from + found < lastClose ? found : begins === null ? -1 : literal.search(begins);
      return at === -1 ? -1 : from + at;
    });
    const at = starts.find((start) => start !== -1);
    if (at === undefined) continue;
    const error = new ExpressionError(reason, placeAt(text, at));
    if (onError === undefined) throw error;
    onError(error);
  }
}

/**
 * Renders a template. In mixed text each value is inserted as text; lists, objects, null and booleans as JSON. The
 * result is never parsed as a template again.
 * @throws ExpressionError
 */
export function renderTemplate(template: Template, scope: Scope, options: EvaluateOptions = {}): Json {
  if (template.kind === 'static') return template.text;
  return renderIn(new Evaluation(scope, options.fuel ?? defaultFuel, options), template);
}

/** The same as a part of a config, whose expressions share their limits. `fill` gives the value of an expression. */
export function renderIn(
  evaluation: Evaluation,
  template: Template,
  fill = (expression: Expression): Json => evaluateIn(evaluation, expression),
): Json {
  switch (template.kind) {
    case 'static':
      return template.text;
    case 'expression':
      return fill(template.expression);
    case 'mixed': {
      let rendered = '';
      evaluation.inText = true;
      try {
        for (const part of template.parts) {
          rendered += typeof part === 'string' ? part : toText(fill(part), evaluation);
          evaluation.checkLength(rendered.length);
        }
      } finally {
        evaluation.inText = false;
      }
      evaluation.spendOnText(rendered.length);
      return rendered;
    }
  }
}
