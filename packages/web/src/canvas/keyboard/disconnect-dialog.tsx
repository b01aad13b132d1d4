import { ArrowLeft, ArrowRight, Plus, Unplug } from 'lucide-react';
import type { Graph, GraphEdge } from '../../state/graph.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { isInsertable } from '../add/quick-add.ts';
import { edgeEnds } from '../connect/edge-ends.ts';

interface DisconnectDialogProps {
  readonly graph: Graph;
  readonly nodeId: string;
  readonly onDisconnect: (edge: GraphEdge) => void;
  /** Inserts a node into a connection. */
  readonly onInsert: (edge: GraphEdge) => void;
  readonly onClose: () => void;
}

/** The connections of a node, to delete one or to insert a node into it. */
export function DisconnectDialog({ graph, nodeId, onDisconnect, onInsert, onClose }: DisconnectDialogProps) {
  const edges = graph.edges.filter((edge) => edge.source_node_id === nodeId || edge.target_node_id === nodeId);
  const label = graph.nodes.find((node) => node.node_id === nodeId)?.label ?? nodeId;
  return (
    <Dialog title={`Connections of ${label}`} isOpen={true} onOpenChange={(isOpen) => !isOpen && onClose()}>
      {edges.length === 0 && <p className="pb-2 text-[13px] text-muted">This node is not connected.</p>}
      <ul className="flex flex-col gap-1">
        {edges.map((edge) => {
          const { from, to } = edgeEnds(edge, graph);
          const Icon = edge.source_node_id === nodeId ? ArrowRight : ArrowLeft;
          return (
            <li key={edge.key ?? edge.id} className="flex min-h-10 items-center gap-2 text-[13px]">
              <Icon size={14} className="shrink-0 text-muted" aria-hidden="true" />
              <span className="min-w-0 flex-1 truncate">{`${from} to ${to}`}</span>
              <Button
                icon={<Unplug size={14} aria-hidden="true" />}
                aria-label={`Disconnect ${from} from ${to}`}
                onClick={() => onDisconnect(edge)}
              >
                Disconnect
              </Button>
              {isInsertable(edge) && (
                <Button
                  kind="quiet"
                  icon={<Plus size={14} aria-hidden="true" />}
                  aria-label={`Insert a node between ${from} and ${to}`}
                  onClick={() => onInsert(edge)}
                >
                  Insert
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
