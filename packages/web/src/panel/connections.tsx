import { ArrowLeft, ArrowRight, X } from 'lucide-react';
import { useCommandRegistry } from '../commands/use-commands.ts';
import type { Graph, GraphEdge } from '../state/graph.ts';
import { slotOf } from '../state/slots.ts';
import type { Perform } from '../state/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

interface ConnectionsProps {
  readonly nodeId: string;
  readonly graph: Graph;
  readonly perform: Perform;
}

/** The edges of a node: which come in, which go out, and a button that connects it. */
export function Connections({ nodeId, graph, perform }: ConnectionsProps) {
  // What fills a slot of the node is listed there.
  const edges = graph.edges.filter(
    ({ source_node_id: source, target_node_id: target, edge_label: label }) =>
      source === nodeId || (target === nodeId && slotOf[label] === undefined),
  );
  const name = (id: string): string => graph.nodes.find((node) => node.node_id === id)?.label ?? id;
  const commands = useCommandRegistry();
  return (
    <section aria-label="Connections" className="flex flex-col gap-1.5 border-line border-t pt-4">
      <h3 className="font-medium text-[13px]">Connections</h3>
      {edges.length === 0 && <p className="text-[12px] text-muted">This node is not connected.</p>}
      <ul className="flex flex-col">
        {edges.map((edge) => (
          <ConnectionRow
            key={edge.id}
            edge={edge}
            isOut={edge.source_node_id === nodeId}
            name={name}
            onDelete={() => perform('Delete a connection', [{ op: 'delete_edge', edge_id: edge.id }])}
          />
        ))}
      </ul>
      {/* Its dialog lists what fits each port, and why the other nodes do not fit. */}
      <Button onClick={() => void commands.run('node.connect')}>Connect…</Button>
    </section>
  );
}

interface ConnectionRowProps {
  readonly edge: GraphEdge;
  readonly isOut: boolean;
  readonly name: (nodeId: string) => string;
  readonly onDelete: () => void;
}

function ConnectionRow({ edge, isOut, name, onDelete }: ConnectionRowProps) {
  const { edge_label: label, condition_value: route } = edge;
  const kind = [label, route].filter(Boolean).join(' ').replaceAll('_', ' ');
  const text = isOut ? `to ${name(edge.target_node_id)}` : `from ${name(edge.source_node_id)}`;
  const Icon = isOut ? ArrowRight : ArrowLeft;
  return (
    <li className="flex min-h-8 items-center gap-2 text-[13px]">
      <Icon size={14} className="shrink-0 text-muted" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">
        {text}
        {kind !== '' && ' '}
        {kind !== '' && <span className="ml-1 text-[12px] text-muted">{kind}</span>}
      </span>
      <IconButton
        label={`Delete the connection ${text}`}
        icon={<X size={14} aria-hidden="true" />}
        onClick={onDelete}
      />
    </li>
  );
}
