import { isArray, isObject, type Json, own } from '../../json.ts';
import { truthy } from '../operators.ts';
import { flag, object, reject } from './arguments.ts';
import type { Filter } from './filter.ts';

/** A filter that returns one part of each entry of an object. */
function entriesOf(name: string, description: string, pick: (key: string, value: Json) => Json): Filter {
  return {
    name,
    parameters: [],
    description,
    apply(value, _args, evaluation) {
      const whole = object(value, `The input of '${name}'`, evaluation);
      const parts: Json[] = [];
      // Listing the entries of an object with very many takes three times as long. JSON has own names only.
      for (const key in whole) parts.push(pick(key, whole[key] ?? null));
      return parts;
    },
  };
}

/** Not `??`: an existing null stays null. */
function orElse(found: Json | undefined, fallback: Json | undefined): Json | undefined {
  return found === undefined ? fallback : found;
}

/** Filters that work on objects, and `default`, which replaces missing values. */
export const objectFilters: readonly Filter[] = [
  entriesOf('keys', 'The keys of an object.', (key) => key),
  entriesOf('values', 'The values of an object.', (_key, value) => value),
  entriesOf('items', 'The entries of an object, each as a list of key and value.', (key, value) => [key, value]),
  {
    name: 'get',
    parameters: [{ name: 'key' }, { name: 'default', optional: true }],
    description: 'The value at a key of an object or an index of a list; otherwise `default`.',
    apply(value, args, evaluation) {
      const [key, fallback] = args;
      if (isObject(value) && typeof key === 'string') return orElse(own(value, key), fallback);
      if (isArray(value) && typeof key === 'number') return orElse(value.at(key), fallback);
      return reject(value, "The input of 'get'", 'an object with a text as key, or a list with a number', evaluation);
    },
  },
  {
    name: 'default',
    aliases: ['d'],
    acceptsMissing: true,
    parameters: [
      { name: 'default_value', default: '' },
      { name: 'boolean', default: false },
    ],
    description:
      'The value, or `default_value` if its path does not exist, and in a text also if it is null; with `boolean` also if it ' +
      'is null, false, 0 or empty.',
    apply(value, [fallback = null, boolean], evaluation) {
      if (value === undefined || (value === null && evaluation.inText)) return fallback;
      return flag(boolean, "'boolean'", evaluation) && !truthy(value, evaluation) ? fallback : value;
    },
  },
];
