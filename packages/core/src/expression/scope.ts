import type { Json } from '../json.ts';

/** Names that have the same meaning in every workflow; a node with such an id is available only as `nodes.<id>`. */
export const reservedNames = ['trigger', 'input', 'nodes', 'run', 'vars', 'loop'] as const;

/**
 * The names that an expression can use, resolved lazily: `lookup('trigger')` and so on. A name that does not exist is
 * undefined here; the evaluator turns it into an error with a position.
 */
export interface Scope {
  lookup(name: string): Json | undefined;
  /** All names, for messages that suggest the nearest one. */
  names(): readonly string[];
  /** A more specific reason than "unknown name" for a path that does not exist, e.g. that a node was skipped. */
  explain?(path: readonly string[]): string | undefined;
}
