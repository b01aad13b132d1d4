import { jsonSize } from '../expression/json/json-size.ts';
import type { Json } from '../json.ts';
import type { Graph } from './graph.ts';

// Bytes of V8's heap, rounded up.
const graphBytes = 500;
const nodeBytes = 1500;
const edgeBytes = 200;
/** A character of JSON in a config takes up to two bytes, and two more in the answer that is kept with the graph. */
const characterBytes = 4;

// Weak, because a stored config never changes.
const sizes = new WeakMap<object, number>();

/** The approximate bytes of memory for a graph. */
export function graphWeight({ nodes, edges }: Graph): number {
  let characters = 0;
  for (const { config } of nodes) characters += sizeOf(config);
  for (const { conditionMapping } of edges) if (conditionMapping !== null) characters += sizeOf(conditionMapping);
  return graphBytes + nodes.length * nodeBytes + edges.length * edgeBytes + characters * characterBytes;
}

function sizeOf(value: Json & object): number {
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = jsonSize(value, Number.POSITIVE_INFINITY);
  sizes.set(value, size);
  return size;
}
