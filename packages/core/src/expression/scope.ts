import type { Json } from '../json.ts';

/** Names that mean the same in every workflow; a node with such an id is reached by `nodes.<id>` only. */
export const reservedNames = ['trigger', 'input', 'nodes', 'run', 'vars', 'loop'] as const;

/**
 * What an expression can name, resolved lazily: `lookup('trigger')` and so on. A name that does not exist is
 * undefined here and an error with position in the evaluator.
 */
export interface Scope {
  lookup(name: string): Json | undefined;
  /** All names, for messages that suggest the nearest one. */
  names(): readonly string[];
  /** A better sentence than "unknown name" for a path that does not exist, e.g. that a node was skipped. */
  explain?(path: readonly string[]): string | undefined;
}
