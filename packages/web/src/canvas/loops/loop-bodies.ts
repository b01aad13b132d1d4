/** An edge of the graph, as far as the bodies of loops depend on it. */
interface BodyEdge {
  readonly source_node_id: string;
  readonly target_node_id: string;
  readonly edge_label: string;
}

/** Edges that connect a part of a node, such as its model, and not the next step. */
const partLabels: ReadonlySet<string> = new Set(['llm', 'tool', 'memory', 'output_parser']);

/** The nodes that each loop repeats, with the parts of those nodes: the loop of a body is not in it. */
export function loopBodies(edges: readonly BodyEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const starts = edges.filter(({ edge_label: label }) => label === 'loop_body');
  if (starts.length === 0) return new Map();
  const steps = edges.filter(({ edge_label: label }) => !partLabels.has(label) && label !== 'loop_return');
  const next = Map.groupBy(steps, ({ source_node_id: source }) => source);
  const parts = Map.groupBy(
    edges.filter(({ edge_label: label }) => partLabels.has(label)),
    ({ target_node_id: target }) => target,
  );
  const bodies = new Map<string, Set<string>>();
  for (const { source_node_id: loop, target_node_id: first } of starts) {
    const body = bodies.get(loop) ?? new Set();
    bodies.set(loop, body);
    const open = [first];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node === loop || body.has(node)) continue;
      body.add(node);
      open.push(...(next.get(node) ?? []).map((edge) => edge.target_node_id));
      open.push(...(parts.get(node) ?? []).map((edge) => edge.source_node_id));
    }
  }
  return bodies;
}
