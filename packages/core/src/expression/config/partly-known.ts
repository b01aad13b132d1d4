import { isArray, type Json } from '../../json.ts';
import { ExpressionError } from '../expression-error.ts';
import { setOwn } from '../set-own.ts';
import { type ConfigNode, compileConfig } from './config.ts';

/** Stands for what an expression makes: a value of any type. */
export const unknownValue: unique symbol = Symbol('a value that nobody knows yet');
/** Stands for text with expressions in it: text in any case. */
export const unknownText: unique symbol = Symbol('a text that nobody knows yet');

/** A value of which parts are known only when the step runs. */
export type PartlyKnown =
  | Json
  | typeof unknownValue
  | typeof unknownText
  | readonly PartlyKnown[]
  | { readonly [key: string]: PartlyKnown };

/** What is known of a config value before its expressions are evaluated. */
export function partlyKnown(value: Json): PartlyKnown {
  try {
    const { root } = compileConfig(value);
    return root === undefined ? value : knownIn(root);
  } catch (error) {
    // Of what cannot be read nothing is known; that it cannot be read is said elsewhere.
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

/** Whether nothing in a value is unknown. */
export function isKnown(value: PartlyKnown): value is Json {
  if (typeof value === 'symbol') return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isKnown);
}
