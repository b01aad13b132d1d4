import { jsonKind } from '../base/json-kind.ts';
import { isSameJson } from '../base/json-same.ts';
import { keyCount } from '../base/key-count.ts';
import { inexactIntegers, receivedNumberOf } from '../base/resolved.ts';
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { Evaluation } from './evaluation.ts';
import { keysPerStep } from './limits.ts';
import { TextSearch } from './text-search.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** Jinja's truth: null, false, 0, empty text, an empty list and an empty object are false. */
export function truthy(value: Json, evaluation: Evaluation): boolean {
  if (typeof value !== 'object') return value !== false && value !== 0 && value !== '';
  if (value === null) return false;
  return (isArray(value) ? value.length : countKeys(value, evaluation)) > 0;
}

/** The number of an object's keys. It is charged afterwards, because only the count itself shows its cost. */
export function countKeys(object: JsonObject, evaluation: Evaluation): number {
  const count = keyCount(object);
  evaluation.spend(count / keysPerStep);
  return count;
}

/**
 * Whether a number is less than a number, or a text sorts before a text. Texts that are received integers beyond the
 * range of exact doubles count as numbers, beside a number or each other.
 */
export function comesBefore(left: Json, right: Json, evaluation: Evaluation): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  const leftNumber = receivedNumberOf(left);
  const rightNumber = leftNumber === null ? null : receivedNumberOf(right);
  if (leftNumber !== null && rightNumber !== null) return leftNumber < rightNumber;
  return sortsBefore(left, right, evaluation);
}

/** Whether a number is less than a number, or a text sorts before a text, whatever it contains. */
export function sortsBefore(left: Comparable, right: Comparable, evaluation: Evaluation): boolean {
  if (isNumeric(left) && isNumeric(right)) return left < right;
  if (typeof left === 'string' && typeof right === 'string') {
    evaluation.spendOnText(Math.min(left.length, right.length));
    return left < right;
  }
  evaluation.fail(`Only two numbers or two texts can be compared, not ${jsonKind(left)} and ${jsonKind(right)}.`);
}

/** What can be compared: integers that a double cannot hold are bigints. */
export type Comparable = Json | bigint;

function isNumeric(value: Comparable): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Whether a list contains an equal item, an object the key, or a text the part. */
export function contains(container: Json, value: Json, evaluation: Evaluation): boolean {
  if (isArray(container)) {
    evaluation.spend(container.length);
    return container.some((item) => isSameJson(item, value, evaluation));
  }
  if (typeof value === 'string') {
    if (isObject(container)) return Object.hasOwn(container, value);
    if (typeof container === 'string') {
      const search = new TextSearch(value);
      evaluation.spend(search.stepsFor(container.length));
      return search.indexIn(container, 0) !== -1;
    }
  }
  evaluation.fail(`${jsonKind(value)} cannot be searched for in ${jsonKind(container)}.`);
}

/** `+` of two numbers, two texts or two lists; all other operators accept two numbers only. */
export function arithmetic(operator: ArithmeticOperator, left: Json, right: Json, evaluation: Evaluation): Json {
  if (typeof left === 'number' && typeof right === 'number') {
    const result = calculate(operator, left, right);
    if (Number.isFinite(result)) return result;
    const byZero = right === 0 && operator !== '**';
    evaluation.fail(byZero ? 'Division by zero.' : 'The result is not a number, or too large for one.');
  }
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return concatenate(left, right, evaluation);
    if (isArray(left) && isArray(right)) {
      evaluation.spend(left.length + right.length);
      evaluation.built = true;
      return [...left, ...right];
    }
  }
  evaluation.fail(
    `'${operator}' does not work on ${jsonKind(left)} and ${jsonKind(right)}.${arithmeticHint(operator, left, right)}`,
  );
}

function arithmeticHint(operator: ArithmeticOperator, left: Json, right: Json): string {
  const texts = [left, right].filter((value) => typeof value === 'string');
  if (texts.some((text) => receivedNumberOf(text) !== null)) return ` Note: ${inexactIntegers}.`;
  return operator === '+' && texts.length > 0
    ? " Text is joined with '~', which binds more tightly than '+'; convert text to a number with '| float'."
    : '';
}

function calculate(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '//':
      return floored(left, right);
    case '%':
      return modulo(left, right);
    case '**':
      return left ** right;
  }
}

/** The quotient, rounded down. The division of large integers alone may round it up. */
function floored(left: number, right: number): number {
  if (!Number.isSafeInteger(left) || !Number.isSafeInteger(right)) return Math.floor(left / right);
  const remainder = left % right;
  const truncated = (left - remainder) / right;
  return remainder !== 0 && remainder < 0 !== right < 0 ? truncated - 1 : truncated;
}

/** As in Jinja, the result has the sign of the divisor: -7 % 3 is 2. */
function modulo(left: number, right: number): number {
  const remainder = left % right;
  return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder;
}

/** Concatenates two texts. */
export function concatenate(left: string, right: string, evaluation: Evaluation): string {
  evaluation.checkLength(left.length + right.length);
  evaluation.spendOnText(left.length + right.length);
  return left + right;
}
