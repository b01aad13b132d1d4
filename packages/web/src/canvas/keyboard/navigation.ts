import type { Graph, GraphEdge, GraphNode } from '../../state/graph.ts';
import { slotOf } from '../../state/slots.ts';

export type Direction = 'downstream' | 'upstream' | 'previousSibling' | 'nextSibling';

/** The nodes in the order in which they run, those beside each other from top to bottom. */
export function graphOrder({ nodes, edges }: Graph): readonly string[] {
  const ahead = edges.filter(({ edge_label: label }) => label !== 'loop_return');
  const targets = Map.groupBy(ahead, ({ source_node_id: source }) => source);
  const waiting = new Map(nodes.map(({ node_id: name }) => [name, 0]));
  for (const { target_node_id: target } of ahead) waiting.set(target, (waiting.get(target) ?? 0) + 1);
  const byPlace = nodes.toSorted(placeOrder);
  const order = new Set<string>();
  const visit = (start: string): void => {
    const stack = [start];
    for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
      if (order.has(name)) continue;
      order.add(name);
      const next = (targets.get(name) ?? []).map(({ target_node_id: target }) => target);
      for (const target of next) waiting.set(target, (waiting.get(target) ?? 0) - 1);
      const ready = new Set(next.filter((target) => (waiting.get(target) ?? 0) <= 0));
      stack.push(...byPlace.flatMap(({ node_id: one }) => (ready.has(one) ? [one] : [])).toReversed());
    }
  };
  for (const { node_id: name } of byPlace) if (waiting.get(name) === 0) visit(name);
  // What is left is in a cycle.
  for (const { node_id: name } of byPlace) visit(name);
  return [...order];
}

/**
 * The node to which an arrow key leads: along an edge, or between nodes with the same source. Without one, the nearest
 * node in that direction; null if there is none either.
 */
export function neighbour(graph: Graph, from: string, direction: Direction): string | null {
  const node = graph.nodes.find(({ node_id: name }) => name === from);
  if (node === undefined) return null;
  switch (direction) {
    case 'downstream':
      return first(graph, targetsOf(graph, from)) ?? nearest(graph, node, direction);
    case 'upstream':
      return first(graph, sourcesOf(graph, from)) ?? nearest(graph, node, direction);
    case 'previousSibling':
      return sibling(graph, node, -1) ?? aboveParts(graph, from) ?? nearest(graph, node, direction);
    case 'nextSibling':
      return sibling(graph, node, 1) ?? first(graph, partsOf(graph, from)) ?? nearest(graph, node, direction);
  }
}

/** The node that gets the focus when others are deleted: along an edge, or else the nearest in the order of the graph. */
export function afterDeletion(graph: Graph, from: string, deleted: ReadonlySet<string>): string | null {
  const left = (names: readonly string[]): string | null =>
    first(
      graph,
      names.filter((name) => !deleted.has(name)),
    );
  const connected = left(targetsOf(graph, from)) ?? left(sourcesOf(graph, from)) ?? left(partsOf(graph, from));
  if (connected !== null) return connected;
  const order = graphOrder(graph);
  const index = order.indexOf(from);
  const after = order.slice(index + 1).find((name) => !deleted.has(name));
  return after ?? order.slice(0, Math.max(0, index)).findLast((name) => !deleted.has(name)) ?? null;
}

function isPart({ edge_label: label }: GraphEdge): boolean {
  return slotOf[label] !== undefined;
}

function targetsOf({ edges }: Graph, from: string): readonly string[] {
  return edges.filter(({ source_node_id: source }) => source === from).map(({ target_node_id: target }) => target);
}

/** The nodes that lead to one; those that fill its slots are below it. */
function sourcesOf({ edges }: Graph, from: string): readonly string[] {
  const own = edges.filter((edge) => edge.target_node_id === from && !isPart(edge));
  return own.map(({ source_node_id: source }) => source);
}

/** The nodes that fill the slots of one. */
function partsOf({ edges }: Graph, from: string): readonly string[] {
  const own = edges.filter((edge) => edge.target_node_id === from && isPart(edge));
  return own.map(({ source_node_id: source }) => source);
}

/** The node whose slot one fills. */
function aboveParts({ edges }: Graph, from: string): string | null {
  return edges.find((edge) => edge.source_node_id === from && isPart(edge))?.target_node_id ?? null;
}

/** The node before or after one among those with the same source, or that fill slots of the same node. */
function sibling(graph: Graph, node: GraphNode, step: 1 | -1): string | null {
  const { node_id: name } = node;
  const above = aboveParts(graph, name);
  const same =
    above === null
      ? sourcesOf(graph, name).flatMap((source) =>
          targetsOf({ ...graph, edges: graph.edges.filter((e) => !isPart(e)) }, source),
        )
      : partsOf(graph, above);
  const order = inPlaceOrder(graph, [...same, name]);
  return order[order.indexOf(name) + step] ?? null;
}

function first(graph: Graph, names: readonly string[]): string | null {
  return inPlaceOrder(graph, names)[0] ?? null;
}

function inPlaceOrder({ nodes }: Graph, names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  return nodes
    .filter(({ node_id: name }) => wanted.has(name))
    .toSorted(placeOrder)
    .map(({ node_id: name }) => name);
}

/** From top to bottom, then from left to right. */
function placeOrder(a: GraphNode, b: GraphNode): number {
  return a.position_y - b.position_y || a.position_x - b.position_x || (a.node_id < b.node_id ? -1 : 1);
}

/** The nearest node in a direction; what is beside the way counts twice. */
function nearest({ nodes }: Graph, from: GraphNode, direction: Direction): string | null {
  const isAcross = direction === 'downstream' || direction === 'upstream';
  const sign = direction === 'downstream' || direction === 'nextSibling' ? 1 : -1;
  const candidates = nodes.flatMap((node) => {
    const [dx, dy] = [node.position_x - from.position_x, node.position_y - from.position_y];
    const along = sign * (isAcross ? dx : dy);
    return along <= 0 ? [] : [{ name: node.node_id, distance: along + 2 * Math.abs(isAcross ? dy : dx) }];
  });
  const [best] = candidates.toSorted((a, b) => a.distance - b.distance);
  return best?.name ?? null;
}
