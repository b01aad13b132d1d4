import { held } from '../base/exact-sum.ts';
import type { Numeric } from '../base/resolved.ts';
import type { BinaryNode, ExpressionNode } from './ast.ts';
import type { Evaluation } from './evaluation.ts';

/** Two numbers and what an operator made of them. */
interface Calculated {
  readonly left: number;
  readonly right: number;
  readonly result: number;
}

/**
 * The result of an operation on two integers, which a double must hold exactly. Operands that are no integers, or are
 * written or converted as numbers with a fraction, are calculated like any other double.
 */
export function exactInteger(node: BinaryNode, calculated: Calculated, evaluation: Evaluation): number {
  const { left, right, result } = calculated;
  if (Number.isSafeInteger(result) && Number.isSafeInteger(left) && Number.isSafeInteger(right)) return result;
  if (!Number.isInteger(result) || !isInteger(left, evaluation) || !isInteger(right, evaluation)) return result;
  if (isApproximate(node.left, evaluation) || isApproximate(node.right, evaluation)) return result;
  const exact = integerResult(node, calculated);
  if (exact === undefined) return result;
  return keptInteger(exact, `The result of '${node.operator}'`, evaluation);
}

/** An integer that was calculated; fails for one that a double cannot hold. */
export function keptInteger(integer: Numeric, what: string, evaluation: Evaluation): number {
  if (typeof integer === 'bigint') {
    evaluation.fail(
      `${what} has too many digits: a number holds integers exactly up to ±(2^53 − 1), and only some larger ones. ` +
        "For an approximate result, write a number of it with a fraction, as in 2.0, or convert a value with '| float'.",
    );
  }
  if (!Number.isSafeInteger(integer)) evaluation.largeIntegers.add(Math.abs(integer));
  return integer;
}

/** A large number is an integer only if it was calculated as one: a received one was written with an exponent or fraction. */
function isInteger(operand: number, evaluation: Evaluation): boolean {
  return Number.isSafeInteger(operand) || evaluation.largeIntegers.has(Math.abs(operand));
}

/** Whether an operand asks for an approximate result: `2.0`, `1e3`, and a value with `| float`. */
function isApproximate(node: ExpressionNode, evaluation: Evaluation): boolean {
  switch (node.kind) {
    case 'literal':
      return /[.eE]/.test(evaluation.text.slice(node.offset, node.end));
    case 'filter':
      return node.filter.name === 'float';
    case 'unary':
      return isApproximate(node.operand, evaluation);
    case 'binary':
      return isApproximate(node.left, evaluation) || isApproximate(node.right, evaluation);
    default:
      return false;
  }
}

/** Undefined for operators whose results are always the nearest double. */
function integerResult(node: BinaryNode, operands: Calculated): Numeric | undefined {
  const [left, right] = [BigInt(operands.left), BigInt(operands.right)];
  switch (node.operator) {
    case '+':
      return held(left + right);
    case '-':
      return held(left - right);
    case '*':
      return held(left * right);
    case '**':
      // With a negative exponent, the result is a fraction or ±1.
      return right < 0n ? undefined : held(left ** right);
    case '//':
      return held(floorOf(left, right));
    default:
      return undefined;
  }
}

function floorOf(left: bigint, right: bigint): bigint {
  const remainder = left % right;
  return left / right - (remainder !== 0n && remainder < 0n !== right < 0n ? 1n : 0n);
}
