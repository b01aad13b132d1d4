import type { Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { findPredicate, type Predicate } from '../predicates.ts';
import { list, reject } from './arguments.ts';
import { attributePath, attributesOf, findAttribute } from './attribute.ts';
import type { Filter, Parameter } from './filter.ts';

const test: Parameter = { name: 'test', default: 'truthy', names: 'test' };
const other: Parameter = { name: 'value', optional: true };

/** A test with its comparison value. */
interface Condition {
  readonly predicate: Predicate;
  readonly other: Json;
}

function conditionOf(name: Json | undefined, value: Json | undefined, evaluation: Evaluation): Condition {
  const predicate = typeof name === 'string' ? findPredicate(name) : undefined;
  if (predicate === undefined) return reject(name, "'test'", "a test's name in quotes", evaluation);
  if ((predicate.comparing === true) !== (value !== undefined)) {
    const wanted = predicate.comparing ? 'needs a value to compare with' : 'takes no value';
    evaluation.fail(`The test '${predicate.name}' ${wanted}.`);
  }
  return { predicate, other: value ?? null };
}

function holds(value: Json | undefined, condition: Condition, evaluation: Evaluation): boolean {
  const { predicate } = condition;
  if (predicate.acceptsMissing) return predicate.holds(value);
  // `byAttribute` has already checked that every item has the attribute.
  return value !== undefined && predicate.holds(value, condition.other, evaluation);
}

/** `select` returns the items for which a test holds, `reject` the others. */
function byItem(name: string, kept: boolean, description: string): Filter {
  return {
    name,
    parameters: [test, other],
    description,
    apply(value, args, evaluation) {
      const items = list(value, `The input of '${name}'`, evaluation);
      const condition = conditionOf(args[0], args[1], evaluation);
      return items.filter((item) => holds(item, condition, evaluation) === kept);
    },
  };
}

/** The same by an attribute of each item. */
function byAttribute(name: string, kept: boolean, description: string): Filter {
  return {
    name,
    parameters: [{ name: 'attribute' }, test, other],
    description,
    apply(value, args, evaluation) {
      const items = list(value, `The input of '${name}'`, evaluation);
      const path = attributePath(args[0], evaluation);
      const condition = conditionOf(args[1], args[2], evaluation);
      if (!condition.predicate.acceptsMissing) attributesOf(items, { path }, evaluation);
      return items.filter((item) => holds(findAttribute(item, path, evaluation), condition, evaluation) === kept);
    },
  };
}

/** Filters that select items of a list, and `map`, which extracts a part of each. */
export const selectFilters: readonly Filter[] = [
  {
    name: 'map',
    parameters: [{ name: 'attribute' }, { name: 'default', optional: true }],
    description:
      "The value of each item at a path, as in `map('address.city')`, or the result of a filter for each item, as in `map('upper')`. `map(attribute='first')` is always a path.",
    apply(value, args, evaluation) {
      const items = list(value, "The input of 'map'", evaluation);
      return attributesOf(items, { path: attributePath(args[0], evaluation), fallback: args[1] }, evaluation);
    },
  },
  byItem('select', true, "The items that pass a test, as in `select('gt', 3)`; without a test, the truthy items."),
  byItem('reject', false, "The items that do not pass a test, as in `reject('none')`."),
  byAttribute('selectattr', true, "The items whose attribute passes a test, as in `selectattr('price', 'gt', 3)`."),
  byAttribute('rejectattr', false, "The items whose attribute does not pass a test, as in `rejectattr('archived')`."),
];
