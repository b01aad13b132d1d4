import { exactSum } from '../../base/exact-sum.ts';
import { inexactIntegers, receivedNumberOf } from '../../base/resolved.ts';
import { isArray, isObject, type Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { keptInteger } from '../exact-integers.ts';
import { countKeys } from '../operators.ts';
import { charactersOf, spendOnJson, toText } from '../text.ts';
import { flag, integer, list, reject, text } from './arguments.ts';
import { attributePath, attributesOf } from './attribute.ts';
import type { Arguments, Filter } from './filter.ts';
import { attribute, caseSensitive, compareKeys, type Keyed, keyed } from './ordering.ts';

/** The most parts that a list can be cut into: one for each step available. */
const mostParts = 100_000;

function lengthOf(value: Json, evaluation: Evaluation): number {
  if (typeof value === 'string') return charactersOf(value, evaluation).length;
  if (isArray(value)) return value.length;
  if (isObject(value)) return countKeys(value, evaluation);
  return reject(value, "The input of 'length'", 'a list, an object or text', evaluation);
}

/** The item at an index of a list, or character of a text; -1 is the last. */
function itemAt(name: string, place: 0 | -1): Filter {
  return {
    name,
    parameters: [],
    description: `The ${name} item of a list, or character of a text.`,
    apply(value, _args, evaluation) {
      if (typeof value === 'string') return charactersOf(value, evaluation).at(place);
      if (isArray(value)) return value.at(place);
      return reject(value, `The input of '${name}'`, 'a list or text', evaluation);
    },
  };
}

function reversed(value: Json, evaluation: Evaluation): Json {
  if (typeof value !== 'string') return list(value, "The input of 'reverse'", evaluation).toReversed();
  const characters = charactersOf(value, evaluation);
  evaluation.spend(characters.length / 8);
  return Array.from(characters).reverse().join('');
}

function listed(value: Json, evaluation: Evaluation): Json {
  if (isArray(value)) return value;
  if (typeof value === 'string') {
    evaluation.spend(value.length);
    return Array.from(value);
  }
  if (!isObject(value)) return reject(value, "The input of 'list'", 'a list, an object or text', evaluation);
  const keys = Object.keys(value);
  evaluation.spend(keys.length);
  return keys;
}

function joined(value: Json, args: Arguments, evaluation: Evaluation): string {
  const items = list(value, "The input of 'join'", evaluation);
  const separator = text(args[0], "'separator'", evaluation);
  const path = attributePath(args[1], evaluation);
  let length = 0;
  const parts = attributesOf(items, { path }, evaluation).map((item) => {
    const part = toText(item, evaluation);
    length += part.length + separator.length;
    evaluation.checkLength(length - separator.length);
    return part;
  });
  evaluation.spendOnText(length);
  return parts.join(separator);
}

function sorted(value: Json, args: Arguments, evaluation: Evaluation): Json {
  const items = list(value, "The input of 'sort'", evaluation);
  const entries = keyed(items, { caseSensitive: args[1], attribute: args[2] }, evaluation);
  const sign = flag(args[0], "'reverse'", evaluation) ? -1 : 1;
  return entries.toSorted((left, right) => sign * compareKeys(left, right, evaluation)).map((entry) => entry.item);
}

function uniqueItems(value: Json, args: Arguments, evaluation: Evaluation): Json {
  const items = list(value, "The input of 'unique'", evaluation);
  const firsts = new Map<string, Json>();
  for (const { item, key } of keyed(items, { caseSensitive: args[0], attribute: args[1] }, evaluation)) {
    const identity = canonical(key, evaluation);
    if (!firsts.has(identity)) firsts.set(identity, item);
  }
  return [...firsts.values()];
}

/** The smallest item, or with -1 the greatest; the first of equal ones. */
function extreme(name: string, sign: 1 | -1, description: string): Filter {
  return {
    name,
    parameters: [caseSensitive, attribute],
    description,
    apply(value, args, evaluation) {
      const items = list(value, `The input of '${name}'`, evaluation);
      const entries = keyed(items, { caseSensitive: args[0], attribute: args[1] }, evaluation);
      let best: Keyed | undefined;
      for (const entry of entries) {
        if (best === undefined || sign * compareKeys(entry, best, evaluation) < 0) best = entry;
      }
      return best?.item;
    },
  };
}

function summed(value: Json, args: Arguments, evaluation: Evaluation): Json {
  const items = list(value, "The input of 'sum'", evaluation);
  const values = attributesOf(items, { path: attributePath(args[0], evaluation) }, evaluation);
  const start = args[1] ?? 0;
  if (typeof start !== 'number') return reject(start, "'start'", 'a number', evaluation);
  const numbers = [start, ...values.map((item) => summand(item, evaluation))];
  const total = exactSum(numbers);
  if (typeof total === 'bigint') return keptInteger(total, "The result of 'sum'", evaluation);
  if (!Number.isFinite(total)) return evaluation.fail('The result is not a number, or too large for one.');
  const isInteger = Number.isSafeInteger(total) || numbers.every(Number.isSafeInteger);
  return isInteger ? keptInteger(total, "The result of 'sum'", evaluation) : total;
}

function summand(item: Json, evaluation: Evaluation): number {
  if (typeof receivedNumberOf(item) === 'bigint') {
    return evaluation.fail(`An item that 'sum' adds has too many digits: ${inexactIntegers}.`);
  }
  return typeof item === 'number' ? item : reject(item, "Each item that 'sum' adds", 'a number', evaluation);
}

function batched(value: Json, args: Arguments, evaluation: Evaluation): Json {
  const items = list(value, "The input of 'batch'", evaluation);
  const size = integer(args[0], { what: "'linecount'", least: 1, most: mostParts }, evaluation);
  const batches: Json[][] = [];
  for (let from = 0; from < items.length; from += size) batches.push(items.slice(from, from + size));
  return filled(batches, { size, from: 0, filling: args[1] }, evaluation);
}

function sliced(value: Json, args: Arguments, evaluation: Evaluation): Json {
  const items = list(value, "The input of 'slice'", evaluation);
  const count = integer(args[0], { what: "'slices'", least: 1, most: mostParts }, evaluation);
  evaluation.spend(count);
  const least = Math.floor(items.length / count);
  const longer = items.length % count;
  const slices = Array.from({ length: count }, (_, index) => {
    const from = index * least + Math.min(index, longer);
    return items.slice(from, from + least + (index < longer ? 1 : 0));
  });
  // As in Jinja: nothing is filled if the items divide evenly.
  return filled(slices, { size: longer > 0 ? least + 1 : least, from: longer, filling: args[1] }, evaluation);
}

/** Fills the parts that are too short, if there is a fill value. */
function filled(
  parts: Json[][],
  { size, from, filling }: { readonly size: number; readonly from: number; readonly filling: Json | undefined },
  evaluation: Evaluation,
): Json {
  if (filling === undefined || filling === null) return parts;
  for (const part of parts.slice(from)) {
    evaluation.spend(Math.max(0, size - part.length));
    while (part.length < size) part.push(filling);
  }
  return parts;
}

/** Filters that work on lists, and some of them on text or objects as well. */
export const listFilters: readonly Filter[] = [
  {
    name: 'length',
    aliases: ['count'],
    parameters: [],
    description: 'The number of items of a list, keys of an object or characters of a text.',
    apply: (value, _args, evaluation) => lengthOf(value, evaluation),
  },
  itemAt('first', 0),
  itemAt('last', -1),
  {
    name: 'reverse',
    parameters: [],
    description: 'The list or text in reverse order.',
    apply: (value, _args, evaluation) => reversed(value, evaluation),
  },
  {
    name: 'list',
    parameters: [],
    description: 'The characters of a text or the keys of an object as a list; a list unchanged.',
    apply: (value, _args, evaluation) => listed(value, evaluation),
  },
  {
    name: 'join',
    parameters: [{ name: 'separator', default: '' }, attribute],
    description: 'The items, or their values at `attribute`, joined to a text with the separator.',
    apply: joined,
  },
  {
    name: 'sort',
    parameters: [{ name: 'reverse', default: false }, caseSensitive, attribute],
    description: 'The sorted list, by its items or by their values at `attribute`: all numbers or all texts.',
    apply: sorted,
  },
  {
    name: 'unique',
    parameters: [caseSensitive, attribute],
    description: 'The list without duplicates; items are compared as a whole or by their values at `attribute`.',
    apply: uniqueItems,
  },
  {
    name: 'sum',
    parameters: [attribute, { name: 'start', default: 0 }],
    description: "The sum of the numbers, or of the items' values at `attribute`, plus `start`.",
    apply: summed,
  },
  extreme('min', 1, 'The smallest item, or the item with the smallest value at `attribute`.'),
  extreme('max', -1, 'The largest item, or the item with the largest value at `attribute`.'),
  {
    name: 'batch',
    parameters: [{ name: 'linecount' }, { name: 'fill_with', optional: true }],
    description: 'The list, split into lists of `linecount` items; the last one is padded with `fill_with` if given.',
    apply: batched,
  },
  {
    name: 'slice',
    parameters: [{ name: 'slices' }, { name: 'fill_with', optional: true }],
    description: 'The list, split into `slices` lists of about equal length. For a part of a list, write `items[2:5]`.',
    apply: sliced,
  },
];

/** Sorting the keys of every object inside costs about ten times as much as writing JSON. */
const canonicalCharactersPerStep = 4;

/** A text that is the same for two values exactly if they are equal: JSON with sorted keys. */
function canonical(value: Json, evaluation: Evaluation): string {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string') evaluation.spendOnText(value.length);
    return typeof value === 'string' ? `"${value}` : String(value);
  }
  evaluation.spend(spendOnJson(value, evaluation) / canonicalCharactersPerStep);
  return JSON.stringify(sortedByName(value));
}

/** The value with the names of each object in the same order. A function that JSON.stringify calls takes much longer. */
function sortedByName(value: Json): Json {
  if (isArray(value)) return value.map(sortedByName);
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  // Most objects of long lists have few names and plain values; one name needs no order.
  const [only = ''] = names;
  if (names.length < 2 && typeof value[only] !== 'object') return value;
  return Object.fromEntries(names.sort().map((name): [string, Json] => [name, sortedByName(value[name] ?? null)]));
}
