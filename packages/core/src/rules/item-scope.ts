import { evaluate } from '../expression/evaluate.ts';
import { parseExpression } from '../expression/parse.ts';
import type { Scope } from '../expression/scope.ts';
import { isObject, type Json, own } from '../json.ts';

/** What a path inside one item of a list sees: the item's own keys, and the whole of it as `item`. */
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
 * Reads one value out of each item of a list, by a path such as `address.city`.
 * @throws StepError `expression` when the path is none; the reader throws it for an item that has no such path
 */
export function valueIn(path: string): (item: Json) => Json {
  const parsed = parseExpression(path);
  return (item) => evaluate(parsed, new ItemScope(item));
}
