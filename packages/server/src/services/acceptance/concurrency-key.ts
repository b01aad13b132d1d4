import {
  ExpressionError,
  type Json,
  jsonSize,
  Problem,
  parseTemplate,
  renderTemplate,
  type Scope,
  type Trigger,
  type Workflow,
} from '@millrace/core';

/** Keys are indexed in the store, so their length is limited. */
const maxKeyLength = 200;

/**
 * The key of a run: runs with the same key share the limit of their workflow. Null if all its runs share it.
 * @throws Problem `invalid` if the expression has no value for this trigger, or its value is too long
 */
export function concurrencyKeyOf(
  { concurrency, concurrencyKey }: Pick<Workflow, 'concurrency' | 'concurrencyKey'>,
  trigger: Trigger,
): string | null {
  // Without a limit nothing is counted, so the expression need not be evaluated.
  if (concurrency === null || concurrencyKey === null) return null;
  try {
    const value = renderTemplate(parseTemplate(concurrencyKey), scopeOf(trigger));
    const key = keyOf(value);
    if (key !== null) return key;
    throw new Problem('invalid', `The workflow's concurrency_key gives a key of more than ${maxKeyLength} characters.`);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new Problem('invalid', `The workflow's concurrency_key has no value for this payload: ${error.reason}`);
  }
}

/** The text of a key; null if it is too long. A value of several megabytes is not written only to be rejected. */
function keyOf(value: Json): string | null {
  if (typeof value !== 'string' && jsonSize(value, maxKeyLength) > maxKeyLength) return null;
  const key = typeof value === 'string' ? value : JSON.stringify(value);
  return key.length <= maxKeyLength ? key : null;
}

/** The values that exist before the run does. */
function scopeOf({ payload, text }: Trigger): Scope {
  const names = new Map([
    ['trigger', { payload, text }],
    ['input', payload],
  ]);
  return { lookup: (name) => names.get(name), names: () => [...names.keys()] };
}
