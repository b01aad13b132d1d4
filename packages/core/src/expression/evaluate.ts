import { jsonKind } from '../base/json-kind.ts';
import { isSameJson } from '../base/json-same.ts';
import type { Meter } from '../base/meter.ts';
import { ownPart } from '../base/texts/own-text.ts';
import { isArray, isObject, type Json, own } from '../json.ts';
import type { Instant } from '../time.ts';
import type {
  BinaryNode,
  Expression,
  ExpressionNode,
  FilterNode,
  MapNode,
  ObjectNode,
  SliceNode,
  TestNode,
} from './ast.ts';
import { Evaluation } from './evaluation.ts';
import { exactInteger } from './exact-integers.ts';
import type { Arguments, Filter } from './filters/filter.ts';
import { jsonSize } from './json/json-size.ts';
import { defaultFuel, maxResultSize } from './limits.ts';
import { reasonForMissing } from './missing.ts';
import { arithmetic, comesBefore, concatenate, contains, truthy } from './operators.ts';
import type { Scope } from './scope.ts';
import { setOwn } from './set-own.ts';
import { charactersOf, fromCharacters, toText } from './text.ts';

/** Options of an evaluation: its limits, and the current time. */
export interface EvaluateOptions {
  readonly fuel?: number;
  /** The value of the text `now` for the filter `date`; using `now` without it is an error. */
  readonly now?: Instant;
  /** The limit of the attempt that the evaluation is a part of. */
  readonly meter?: Meter | undefined;
}

/**
 * The value of an expression. Expressions can read only own properties of the data; inherited properties and JavaScript
 * globals are not accessible.
 * @throws ExpressionError for a path that does not exist, an operation that does not fit its values, and too much work
 */
export function evaluate(expression: Expression, scope: Scope, options: EvaluateOptions = {}): Json {
  return evaluateIn(new Evaluation(scope, options.fuel ?? defaultFuel, options), expression);
}

/**
 * Like `evaluate`, but undefined for a path that does not exist.
 * @throws ExpressionError like `evaluate`
 */
export function find(expression: Expression, scope: Scope, options: EvaluateOptions = {}): Json | undefined {
  const evaluation = new Evaluation(scope, options.fuel ?? defaultFuel, options);
  begin(evaluation, expression);
  const found = read(expression.root, evaluation);
  return found === undefined ? undefined : finished(found, expression, evaluation);
}

/** Evaluates one of several expressions, for example of a template, that share the limits of one evaluation. */
export function evaluateIn(evaluation: Evaluation, expression: Expression): Json {
  begin(evaluation, expression);
  return finished(value(expression.root, evaluation), expression, evaluation);
}

function begin(evaluation: Evaluation, { text, root }: Expression): void {
  evaluation.text = text;
  evaluation.offset = root.offset;
  // Only values that an expression builds count towards the size limit; values that it passes on do not.
  evaluation.built = false;
}

/** The result, unless it is too large. */
function finished(result: Json, expression: Expression, evaluation: Evaluation): Json {
  if (evaluation.built && typeof result === 'object') {
    evaluation.builtSize += jsonSize(result, maxResultSize);
    if (evaluation.builtSize > maxResultSize) {
      evaluation.offset = expression.root.offset;
      return evaluation.fail('The result is too large, or nested too deep.');
    }
  }
  return result;
}

/** The value of a node; fails if it has none. */
function value(node: ExpressionNode, evaluation: Evaluation): Json {
  const found = read(node, evaluation);
  if (found === undefined) return failForMissing(node, evaluation);
  return found;
}

/** The value of a node, or undefined for a path that does not exist, for `default` and `is defined` to handle. */
function read(node: ExpressionNode, evaluation: Evaluation): Json | undefined {
  evaluation.spend(1);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'name':
      return evaluation.scope.lookup(node.name);
    case 'member': {
      const object = read(node.object, evaluation);
      return isObject(object) ? own(object, node.key.name) : undefined;
    }
    case 'index':
      return itemAt(read(node.object, evaluation), value(node.index, evaluation), evaluation);
    case 'slice':
      return part(node, evaluation);
    case 'list':
      evaluation.built = true;
      return node.items.map((item) => value(item, evaluation));
    case 'object':
      return object(node, evaluation);
    case 'unary':
      return unary(node.operator, node.operand, evaluation);
    case 'binary':
      return binary(node, evaluation);
    case 'logic': {
      const left = value(node.left, evaluation);
      return truthy(left, evaluation) === (node.operator === 'or') ? left : value(node.right, evaluation);
    }
    case 'conditional':
      return read(truthy(value(node.condition, evaluation), evaluation) ? node.then : node.otherwise, evaluation);
    case 'filter':
      return filtered(node, evaluation);
    case 'map':
      return mapped(node, evaluation);
    case 'test':
      return test(node, evaluation);
  }
}

function failForMissing(node: ExpressionNode, evaluation: Evaluation): never {
  if (node.kind === 'conditional') {
    const taken = truthy(value(node.condition, evaluation), evaluation) ? node.then : node.otherwise;
    return failForMissing(taken, evaluation);
  }
  const inside = node.kind === 'member' || node.kind === 'index' || node.kind === 'slice' ? node.object : undefined;
  const object = inside && read(inside, evaluation);
  if (inside !== undefined && object === undefined) return failForMissing(inside, evaluation);
  evaluation.offset = node.kind === 'member' ? node.key.offset : node.offset;
  return evaluation.fail(reasonForMissing(node, object, evaluation));
}

/** The item of a list, character of a text or entry of an object; a negative index counts from the end. */
function itemAt(object: Json | undefined, index: Json, evaluation: Evaluation): Json | undefined {
  if (typeof index === 'string') return isObject(object) ? own(object, index) : undefined;
  if (typeof index !== 'number') return undefined;
  if (isArray(object)) return Number.isInteger(index) ? object.at(index) : undefined;
  return typeof object === 'string' && Number.isInteger(index) ? charactersOf(object, evaluation).at(index) : undefined;
}

function part(node: SliceNode, evaluation: Evaluation): Json | undefined {
  const whole = read(node.object, evaluation);
  if (whole === undefined) return undefined;
  const start = node.start && sliceBound(node.start, evaluation);
  const stop = node.stop && sliceBound(node.stop, evaluation);
  evaluation.offset = node.offset;
  if (typeof whole === 'string')
    return ownPart(fromCharacters(charactersOf(whole, evaluation).slice(start, stop)), whole);
  if (!isArray(whole))
    return evaluation.fail(`A slice [from:to] is taken of a list or text, not of ${jsonKind(whole)}.`);
  const taken = whole.slice(start, stop);
  evaluation.spend(taken.length);
  evaluation.built = true;
  return taken;
}

function sliceBound(node: ExpressionNode, evaluation: Evaluation): number | undefined {
  const place = value(node, evaluation);
  if (place === null) return undefined;
  if (typeof place === 'number' && Number.isInteger(place)) return place;
  evaluation.offset = node.offset;
  return evaluation.fail(`The ends of a slice [from:to] must be whole numbers, not ${jsonKind(place)}.`);
}

function object(node: ObjectNode, evaluation: Evaluation): Json {
  evaluation.built = true;
  const result: Record<string, Json> = {};
  for (const entry of node.entries) setOwn(result, entry.key, value(entry.value, evaluation));
  return result;
}

function unary(operator: '-' | '+' | 'not', operand: ExpressionNode, evaluation: Evaluation): Json {
  const given = value(operand, evaluation);
  if (operator === 'not') return !truthy(given, evaluation);
  if (typeof given === 'number') return operator === '-' ? 0 - given : given;
  evaluation.offset = operand.offset;
  return evaluation.fail(`A sign must be followed by a number, not by ${jsonKind(given)}.`);
}

function binary(node: BinaryNode, evaluation: Evaluation): Json {
  const left = value(node.left, evaluation);
  const right = value(node.right, evaluation);
  evaluation.offset = node.operatorOffset;
  switch (node.operator) {
    case '==':
      return isSameJson(left, right, evaluation);
    case '!=':
      return !isSameJson(left, right, evaluation);
    case '<':
      return comesBefore(left, right, evaluation);
    case '>':
      return comesBefore(right, left, evaluation);
    case '<=':
      return !comesBefore(right, left, evaluation);
    case '>=':
      return !comesBefore(left, right, evaluation);
    case 'in':
      return contains(right, left, evaluation);
    case 'not in':
      return !contains(right, left, evaluation);
    case '~':
      return concatenate(toText(left, evaluation), toText(right, evaluation), evaluation);
    default: {
      const result = arithmetic(node.operator, left, right, evaluation);
      // Only two numbers have a number as their result.
      if (typeof left !== 'number' || typeof right !== 'number' || typeof result !== 'number') return result;
      return exactInteger(node, { left, right, result }, evaluation);
    }
  }
}

function filtered(node: FilterNode, evaluation: Evaluation): Json | undefined {
  const { filter } = node;
  const input = filter.acceptsMissing ? read(node.input, evaluation) : value(node.input, evaluation);
  const args = argumentsOf(node, evaluation);
  evaluation.offset = node.nameOffset;
  return apply(filter, { input, args }, evaluation);
}

function mapped(node: MapNode, evaluation: Evaluation): Json {
  const items = value(node.input, evaluation);
  const args = argumentsOf(node, evaluation);
  evaluation.offset = node.nameOffset;
  if (!isArray(items)) return evaluation.fail(`The input of 'map' must be a list, but it is ${jsonKind(items)}.`);
  evaluation.spend(items.length);
  evaluation.built = true;
  return items.map((input, index) => {
    const result = apply(node.filter, { input, args }, evaluation);
    return (
      result ?? (result === null ? null : evaluation.fail(`'${node.filter.name}' has no result for item ${index}.`))
    );
  });
}

function argumentsOf(node: FilterNode | MapNode, evaluation: Evaluation): Arguments {
  return node.args.map((argument) => argument && value(argument, evaluation));
}

function apply(
  filter: Filter,
  { input, args }: { readonly input: Json | undefined; readonly args: Arguments },
  evaluation: Evaluation,
): Json | undefined {
  const result = filter.acceptsMissing
    ? filter.apply(input, args, evaluation)
    : // A filter that does not accept a missing input is never called without one: `value` fails before.
      filter.apply(input ?? null, args, evaluation);
  if (typeof result === 'object') evaluation.built = true;
  return result;
}

function test(node: TestNode, evaluation: Evaluation): boolean {
  const { predicate } = node;
  const holds = predicate.acceptsMissing
    ? predicate.holds(read(node.operand, evaluation))
    : predicate.holds(value(node.operand, evaluation), null, evaluation);
  return holds !== node.negated;
}
