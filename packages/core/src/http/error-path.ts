import type { Meter } from '../base/meter.ts';
import { textStart } from '../base/texts/own-text.ts';
import type { SettingIssue } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { find } from '../expression/evaluate.ts';
import { jsonPieces } from '../expression/json/json-pieces.ts';
import { parseExpression } from '../expression/parse.ts';
import { isArray, type Json } from '../json.ts';
import { ItemScope } from '../rules/item-scope.ts';

/** Enough of an error to understand the server's reason. */
const excerptLength = 300;

/**
 * Checks the body of a response whose status is a success for an error: many services report one there, for example
 * GraphQL under `errors`.
 * @throws StepError `http_error` if it has a value at the path other than null, false, 0, empty text, `[]` and `{}`
 */
export function checkErrorPath(body: Json, path: string, meter?: Meter): void {
  const found = find(parseExpression(path), new ItemScope(body), { meter });
  if (found === undefined || isNothing(found)) return;
  const [json = ''] = jsonPieces(found);
  const excerpt = textStart(typeof found === 'string' ? found : json, excerptLength);
  throw new StepError('http_error', `The response has an error at '${path}': ${excerpt}`);
}

function isNothing(value: Json): boolean {
  if (typeof value !== 'object') return !value;
  if (value === null) return true;
  return (isArray(value) ? value : Object.keys(value)).length === 0;
}

/** Checks the path before a run, and that the response is read as JSON. */
export function errorPathIssues({
  error_path: path,
  response,
}: Readonly<Record<string, unknown>>): readonly SettingIssue[] {
  if (typeof path !== 'string') return [];
  const error = (message: string): SettingIssue => ({ path: ['error_path'], severity: 'error', message });
  const issues = response === 'text' || response === 'file' ? [error("needs a response that is read as 'json'")] : [];
  try {
    parseExpression(path);
    return issues;
  } catch (problem) {
    if (!(problem instanceof StepError)) throw problem;
    return [...issues, error(problem.message)];
  }
}
