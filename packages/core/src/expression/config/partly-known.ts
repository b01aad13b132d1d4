import { isArray, type Json } from '../../json.ts';
import { ExpressionError } from '../expression-error.ts';
import { setOwn } from '../set-own.ts';
import { type ConfigNode, compileConfig } from './config.ts';

/** Stands for the value of an expression: a value of any type. */
export const unknownValue: unique symbol = Symbol('a value that nobody knows yet');
/** Stands for text that contains expressions: the result is always text. */
export const unknownText: unique symbol = Symbol('a text that nobody knows yet');

/** A value of which some parts are known only when the step runs. */
export type PartlyKnown =
  | Json
  | typeof unknownValue
  | typeof unknownText
  | readonly PartlyKnown[]
  | { readonly [key: string]: PartlyKnown };

/** The part of a config value that is known before its expressions are evaluated. */
export function partlyKnown(value: Json): PartlyKnown {
  try {
    const { root } = compileConfig(value);
    return root === undefined ? value : knownIn(root);
  } catch (error) {
    // Nothing is known of text that cannot be parsed; the error itself is reported elsewhere.
    if (error instanceof ExpressionError) return unknownValue;
    throw error;
  }
}

function knownIn(node: ConfigNode): PartlyKnown {
  if (node.kind === 'text') return node.template.kind === 'mixed' ? unknownText : unknownValue;
  if (isArray(node.source)) {
    const copy: PartlyKnown[] = [...node.source];
    for (const [index, child] of node.dynamic) copy[Number(index)] = knownIn(child);
    return copy;
  }
  const copy: Record<string, PartlyKnown> = { ...node.source };
  for (const [key, child] of node.dynamic) setOwn(copy, key, knownIn(child));
  return copy;
}

/** Whether a value contains no unknown part. */
export function isKnown(value: PartlyKnown): value is Json {
  if (typeof value === 'symbol') return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isKnown);
}
