import type { Graph } from '../../state/graph.ts';
import { slotOf } from '../../state/slots.ts';

/** The part of an edge that its ends depend on. */
interface EdgeFacts {
  readonly source_node_id: string;
  readonly target_node_id: string;
  readonly edge_label?: string;
  readonly condition_value?: string;
}

/** The ends of an edge for people: `Fetch › output` and `Agent › model`. */
export function edgeEnds(edge: EdgeFacts, { nodes }: Pick<Graph, 'nodes'>) {
  const { source_node_id: source, target_node_id: target, edge_label: label = '', condition_value: route = '' } = edge;
  const nameOf = (id: string): string => nodes.find((node) => node.node_id === id)?.label ?? id;
  const outputs: Readonly<Record<string, string>> = { error: 'error', loop_body: 'each item' };
  const output = route === '' ? (outputs[label] ?? 'output') : route === '__other__' ? 'other' : route;
  const input = label === 'loop_return' ? 'next' : (slotOf[label]?.replace('_', ' ') ?? 'input');
  return { from: `${nameOf(source)} › ${output}`, to: `${nameOf(target)} › ${input}` };
}
