import { Problem } from '../errors.ts';
import { maxExpressionLength } from '../expression/limits.ts';
import type { Graph } from '../graph/graph.ts';
import type { Json, JsonObject } from '../json.ts';
import { invalidField } from './invalid-field.ts';

/**
 * A rename parses the expressions in all texts that contain the name. If they consist of expressions, as many characters
 * take some 0.25 s, in which no other request is served. The longest text of a request has 524,288.
 */
const maxCharacters = 700_000;
/** A node without such a text takes as long as so many characters. */
const charactersPerNode = 40;

/** Limits what one request reads to rename nodes. */
export class RenameBudget {
  #left = maxCharacters;
  #renames = 0;

  /** Called before a node is renamed. @throws Problem `invalid` */
  spend({ nodes }: Graph, name: string): void {
    this.#renames += 1;
    for (const { config } of nodes) this.#left -= charactersPerNode + charactersWith(config as JsonObject, name);
    if (this.#left < 0)
      throw this.#renames === 1 ? invalidField(['node_id'], tooLong) : new Problem('invalid', tooMany);
  }
}

const tooLong =
  'The texts that contain the old name are too long to change all of them at once: change them to a new node one by one';
const tooMany = 'These renames change too many expressions: send them in several requests, or import the changed YAML.';

/** The characters of the expressions, and what follows them, in the texts of a value that contain a name. */
function charactersWith(value: Json, name: string): number {
  if (typeof value === 'string') return value.includes(name) ? parsedLength(value) : 0;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const one of Object.values(value)) sum += charactersWith(one, name);
  return sum;
}

function parsedLength(text: string): number {
  const start = text.indexOf('{{');
  if (start >= 0) return text.length - start;
  return text.length <= maxExpressionLength ? text.length : 0;
}
