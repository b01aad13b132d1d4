import type { Graph, GraphEdge, GraphNode } from './graph.ts';

/** The labels of edges that fill a slot of a node: what they connect belongs to the settings of that node. */
const slotLabels: ReadonlySet<string> = new Set(['llm', 'tool', 'memory', 'output_parser']);

/**
 * The nodes whose outputs in a run are out of date, with the reason: their settings, their connections or a node before
 * them differ between the graph that ran and the draft.
 */
export function staleNodes(ran: Graph, draft: Graph): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  const before = new Map(ran.nodes.map((node) => [node.node_id, node]));
  const [oldInputs, inputs] = [inputsOf(ran), inputsOf(draft)];
  for (const node of draft.nodes) {
    const old = before.get(node.node_id);
    if (old === undefined) continue;
    const reason = ownReason(old, node, oldInputs.get(node.node_id) ?? [], inputs.get(node.node_id) ?? []);
    if (reason !== null) reasons.set(node.node_id, reason);
  }
  const added = draft.nodes.filter(({ node_id: id }) => !before.has(id)).map(({ node_id: id }) => id);
  const changed = [...reasons.keys(), ...added];
  const bySource = Map.groupBy(draft.edges, (edge) => edge.source_node_id);
  const found = new Set(changed);
  for (const source of found) {
    for (const edge of bySource.get(source) ?? []) {
      const { target_node_id: target } = edge;
      if (edge.edge_label === 'loop_return') continue;
      found.add(target);
      if (!reasons.has(target) && before.has(target)) {
        const what = isSlot(edge) ? 'which it uses' : 'before it';
        reasons.set(target, `${source}, ${what}, changed since this output.`);
      }
    }
  }
  return reasons;
}

function ownReason(
  old: GraphNode,
  node: GraphNode,
  oldEdges: readonly GraphEdge[],
  edges: readonly GraphEdge[],
): string | null {
  if (settingsText(old) !== settingsText(node)) return 'Its settings changed since this output.';
  const [oldPin, pin] = [pinText(old), pinText(node)];
  // A pin that was added holds this output, or another one that is about to be used.
  if (oldPin !== undefined && oldPin !== pin) return 'Its pinned output changed since this output.';
  return edgesText(oldEdges) === edgesText(edges) ? null : 'Its connections changed since this output.';
}

function inputsOf({ edges }: Graph): ReadonlyMap<string, readonly GraphEdge[]> {
  return Map.groupBy(edges, (edge) => edge.target_node_id);
}

function isSlot({ edge_label: label }: GraphEdge): boolean {
  return slotLabels.has(label);
}

/** Everything that decides what the node does, in a fixed order. */
function settingsText({ component_type: type, config, subworkflow_id: workflow }: GraphNode): string {
  const { extra_config: extra, llm_model_config_id: _link, ...common } = config;
  const { pinned_output: _pin, ...own } = extra ?? {};
  return JSON.stringify([type, workflow, sorted({ ...common, ...own })]);
}

function sorted(settings: object): readonly (readonly [string, unknown])[] {
  const set = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
  return set.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function pinText({ config }: GraphNode): string | undefined {
  return JSON.stringify(config.extra_config?.pinned_output);
}

function edgesText(edges: readonly GraphEdge[]): string {
  const texts = edges.map((edge) => {
    const { source_node_id: source, edge_label: label, edge_type: type, condition_value: value } = edge;
    return [source, label, type, value].join(' ');
  });
  return texts.toSorted().join('\n');
}
