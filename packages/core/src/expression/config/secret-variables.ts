import type { Json } from '../../json.ts';
import type { Expression } from '../ast.ts';
import { evaluateIn } from '../evaluate.ts';
import type { Evaluation } from '../evaluation.ts';
import { ExpressionError, placeAt } from '../expression-error.ts';
import { staticPath } from '../static-path.ts';
import { references } from './references.ts';
import { expressionsIn, type Template } from './template.ts';

/** The secret variables that a config may use, and where. */
export interface SecretVariables {
  has(name: string): boolean;
  /** Whether the component sends what is at this place of its config: `headers.authorization`. */
  isSentFrom(path: string): boolean;
  /** A text that stands for the secret until the request is sent. */
  placeholderOf(name: string): string;
}

/** A use of a variable in an expression. */
export interface VariableUse {
  readonly name: string;
  readonly offset: number;
  /** `{{ vars.name }}`, with nothing done to the value. */
  readonly isAlone: boolean;
  /** The expression provides for a missing variable, by `default` or `is defined`. */
  readonly isOptional: boolean;
}

/** The variables that a template names. `vars` as a whole, or by a computed name, is not among them. */
export function variablesIn(template: Template): readonly VariableUse[] {
  return expressionsIn(template).flatMap((expression) => {
    const isAlone = aloneIn(expression) !== null;
    return references(expression).flatMap(({ path: [root, name], offsets, isOptional }) =>
      root === 'vars' && name !== undefined ? [{ name, offset: offsets[1] ?? 0, isAlone, isOptional }] : [],
    );
  });
}

/** Whether a template reads `vars` as a whole, or by a computed name. */
export function readsAllVariables(template: Template): boolean {
  return expressionsIn(template).some((expression) =>
    references(expression).some(({ path }) => path[0] === 'vars' && path.length === 1),
  );
}

/** Why a secret variable cannot be used in an expression. */
export function misuseOf(name: string): string {
  return (
    `Variable '${name}' is secret: only headers, query and body of an http_request can send it, ` +
    `written as {{ vars.${name} }} with nothing done to it`
  );
}

/**
 * Fills in a text of a config that may use secret variables: each becomes its placeholder.
 * @throws ExpressionError where a secret is used in another way
 */
export function renderWithSecrets(
  evaluation: Evaluation,
  { path, template }: { readonly path: string; readonly template: Template },
  render: (fill: (expression: Expression) => Json) => Json,
  secrets: SecretVariables,
): Json {
  for (const { name, offset, isAlone } of variablesIn(template)) {
    if (secrets.has(name) && !(isAlone && secrets.isSentFrom(path))) {
      throw new ExpressionError(`${misuseOf(name)}.`, placeAt(template.text, offset));
    }
  }
  return render((expression) => {
    const name = aloneIn(expression);
    return name !== null && secrets.has(name) ? secrets.placeholderOf(name) : evaluateIn(evaluation, expression);
  });
}

/** The variable that an expression consists of; null for any other expression. */
function aloneIn({ root }: Expression): string | null {
  const [first, second, third] = staticPath(root) ?? [];
  return first?.name === 'vars' && third === undefined ? (second?.name ?? null) : null;
}
