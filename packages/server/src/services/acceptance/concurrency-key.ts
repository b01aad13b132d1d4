import {
  ExpressionError,
  Problem,
  parseTemplate,
  renderTemplate,
  type Scope,
  type Trigger,
  type Workflow,
} from '@millrace/core';

/** Longer keys are no keys: they stand in an index. */
const maxKeyLength = 200;

/**
 * The key of a run: with which others it shares the limit of its workflow. Null where they all do.
 * @throws Problem `invalid` when the expression has no value for this trigger
 */
export function concurrencyKeyOf(
  { concurrency, concurrencyKey }: Pick<Workflow, 'concurrency' | 'concurrencyKey'>,
  trigger: Trigger,
): string | null {
  // Nobody counts without a limit, so nobody pays for a key.
  if (concurrency === null || concurrencyKey === null) return null;
  try {
    const value = renderTemplate(parseTemplate(concurrencyKey), scopeOf(trigger));
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    if (key.length <= maxKeyLength) return key;
    throw new Problem('invalid', `The workflow's concurrency_key gives a key of more than ${maxKeyLength} characters.`);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new Problem('invalid', `The workflow's concurrency_key has no value for this payload: ${error.reason}`);
  }
}

/** What is known before a run is. */
function scopeOf({ payload, text }: Trigger): Scope {
  const names = new Map([
    ['trigger', { payload, text }],
    ['input', payload],
  ]);
  return { lookup: (name) => names.get(name), names: () => [...names.keys()] };
}
