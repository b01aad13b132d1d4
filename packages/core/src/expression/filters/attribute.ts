import { jsonKind } from '../../base/json-kind.ts';
import { suggestion } from '../../base/nearest.ts';
import { isArray, isObject, type Json, own } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { pathCharactersPerStep } from '../limits.ts';
import { shown } from '../missing.ts';
import { reject } from './arguments.ts';

/** A path inside an item, as filters accept it: `'name'`, `'address.city'`, `'lines.0.total'`, or an index. */
export type AttributePath = readonly (string | number)[];

/** Parses such a path. Undefined, for no path, selects the item itself. */
export function attributePath(attribute: Json | undefined, evaluation: Evaluation): AttributePath {
  if (attribute === undefined || attribute === null) return [];
  if (typeof attribute === 'number') return [attribute];
  if (typeof attribute !== 'string') return reject(attribute, "'attribute'", 'text', evaluation);
  evaluation.spend(attribute.length / pathCharactersPerStep);
  return attribute.split('.').map((key) => (/^[0-9]{1,9}$/.test(key) ? Number(key) : key));
}

/** An item's value at a path; undefined if there is none. */
export function findAttribute(item: Json, path: AttributePath, evaluation: Evaluation): Json | undefined {
  let value: Json | undefined = item;
  for (const key of path) {
    evaluation.spend(1);
    if (isArray(value)) value = typeof key === 'number' ? value[key] : undefined;
    else value = isObject(value) ? own(value, String(key)) : undefined;
  }
  return value;
}

/** The value of each item of a list at a path. Every item must have one unless there is a fallback. */
export function attributesOf(
  items: readonly Json[],
  { path, fallback }: { readonly path: AttributePath; readonly fallback?: Json | undefined },
  evaluation: Evaluation,
): readonly Json[] {
  if (path.length === 0) return items;
  return items.map((item, index) => {
    const found = findAttribute(item, path, evaluation);
    if (found !== undefined) return found;
    if (fallback !== undefined) return fallback;
    const kind = isObject(item) ? '' : `, which is ${jsonKind(item)},`;
    const hint = isObject(item) ? suggestion(String(path[0]), Object.keys(item)) : '';
    return evaluation.fail(`Item ${index} of the list${kind} has no '${shown(path.join('.'))}'.${hint}`);
  });
}
