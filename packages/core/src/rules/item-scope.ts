import type { Meter } from '../base/meter.ts';
import { evaluate } from '../expression/evaluate.ts';
import { parseExpression } from '../expression/parse.ts';
import type { Scope } from '../expression/scope.ts';
import { isObject, type Json, own } from '../json.ts';

/** The names that a path inside one item of a list can use: the item's own keys, and `item` for the whole item. */
export class ItemScope implements Scope {
  readonly #item: Json;

  constructor(item: Json) {
    this.#item = item;
  }

  lookup(name: string): Json | undefined {
    if (name === 'item') return this.#item;
    return isObject(this.#item) ? own(this.#item, name) : undefined;
  }

  names(): readonly string[] {
    return ['item', ...(isObject(this.#item) ? Object.keys(this.#item) : [])];
  }
}

/**
 * Reads one value from each item of a list, by a path such as `address.city`.
 * @throws StepError `expression` if the path is invalid; the reader throws it for an item that has no such path
 */
export function valueIn(path: string, meter?: Meter): (item: Json) => Json {
  const parsed = parseExpression(path);
  return (item) => evaluate(parsed, new ItemScope(item), { meter });
}
