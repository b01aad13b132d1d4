import { type Edge, type Graph, Problem, type SlicedWork } from '@millrace/core';
import type { EdgeFields, GraphChange, NodeFields } from '../../store/graphs.ts';

/**
 * A graph is read, cached and sent as a whole. This has room for 2,000 nodes and 10,000 edges with the configs that
 * people write, and a GET of it takes some 100 ms.
 */
const maxGraphBytes = 8 * 1024 * 1024;

// Weak, because a stored node or edge never changes: its size is known as long as its graph is cached.
const sizes = new WeakMap<NodeFields | EdgeFields, number>();

/** Objects that are measured before a pause: a few milliseconds, if they are large. */
const objectsPerPiece = 50;

/**
 * Rejects changes that make a graph too large. A graph that is too large already may become smaller.
 * @throws Problem `invalid` with the size that the graph would have
 */
export function* checkGraphSize(graph: Graph, changes: readonly GraphChange[]): SlicedWork<void> {
  if (changes.every(({ kind }) => kind === 'delete_node' || kind === 'delete_edge')) return;
  yield* measuring([...graph.nodes, ...graph.edges, ...changes.flatMap(fieldsOf)]);
  const nodes = new Map(graph.nodes.map((node) => [node.id, sizeOf(node)]));
  const edges = new Map(graph.edges.map((edge) => [edge.id, sizeOf(edge)]));
  const before = sumOf(nodes) + sumOf(edges);
  let created = 0;
  for (const change of changes) {
    // An object without an id is not changed by the changes after it.
    if (change.kind === 'delete_node') nodes.delete(change.id);
    else if (change.kind === 'delete_edge') edges.delete(change.id);
    else if (change.id === undefined) created += sizeOf('node' in change ? change.node : change.edge);
    else if ('node' in change) nodes.set(change.id, sizeOf(change.node));
    else edges.set(change.id, sizeOf(change.edge));
  }
  const after = sumOf(nodes) + sumOf(edges) + created;
  if (after <= maxGraphBytes || after <= before) return;
  throw new Problem(
    'invalid',
    `The nodes and edges of a workflow may have at most ${maxGraphBytes} bytes of JSON in total, but would have ` +
      `${after}. Use smaller configs, or move a part to a sub-workflow.`,
  );
}

function fieldsOf(change: GraphChange): readonly (NodeFields | EdgeFields)[] {
  if ('node' in change) return [change.node];
  return 'edge' in change ? [change.edge] : [];
}

/** Measures the objects whose size is not known. */
function* measuring(objects: readonly (NodeFields | EdgeFields | Edge)[]): SlicedWork<void> {
  let measured = 0;
  for (const object of objects) {
    if (sizes.has(object)) continue;
    sizeOf(object);
    measured += 1;
    if (measured % objectsPerPiece === 0) yield;
  }
}

function sizeOf(object: NodeFields | EdgeFields | Edge): number {
  const known = sizes.get(object);
  if (known !== undefined) return known;
  const size = Buffer.byteLength(JSON.stringify(object));
  sizes.set(object, size);
  return size;
}

function sumOf(all: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const size of all.values()) sum += size;
  return sum;
}
