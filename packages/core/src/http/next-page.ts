import { jsonKind } from '../base/json-kind.ts';
import type { Meter } from '../base/meter.ts';
import { StepError } from '../errors.ts';
import { ExpressionError } from '../expression/expression-error.ts';
import type { Json } from '../json.ts';
import { valueIn } from '../rules/item-scope.ts';

/**
 * The reference to the next page in a response; null if there is none, which usually means that this is the last page.
 * @throws StepError `input`, `expression`
 */
export function nextIn(body: Json, path: string, meter?: Meter): string | number | null {
  const value = valueOrNull(body, path, meter);
  if (value === null || value === false || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') {
    throw new StepError('input', `'pagination.next' leads to ${jsonKind(value)}, not to text or a number.`);
  }
  // JSON.parse rounds a number with more digits, and does not preserve how a fraction was written.
  if (Number.isSafeInteger(value)) return value;
  const message = `The number at '${path}' is not whole or too large to be sent exactly: 'pagination.next' must lead to text.`;
  throw new StepError('input', message);
}

function valueOrNull(body: Json, path: string, meter: Meter | undefined): Json {
  const read = valueIn(path, meter);
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}
