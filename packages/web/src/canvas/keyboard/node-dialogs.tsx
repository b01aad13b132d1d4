import { lazy, Suspense } from 'react';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import type { AddRequest } from '../add/quick-add.ts';
import { connectionEdge } from '../connect/connection.ts';
import { edgeEnds } from '../connect/edge-ends.ts';
import type { NodeTypes } from '../flow.ts';
import type { NodeDialog } from './use-node-commands.ts';

const ConnectDialog = lazy(async () => ({ default: (await import('./connect-dialog.tsx')).ConnectDialog }));
const DisconnectDialog = lazy(async () => ({ default: (await import('./disconnect-dialog.tsx')).DisconnectDialog }));
const RenameDialog = lazy(async () => ({ default: (await import('./rename-dialog.tsx')).RenameDialog }));

interface NodeDialogsProps {
  readonly dialog: NodeDialog | null;
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly contest: Perform;
  readonly onAdd: (request: AddRequest) => void;
  readonly onClose: () => void;
}

/** The dialogs that connect, disconnect and rename a node. */
export function NodeDialogs({ dialog, graph, types, perform, contest, onAdd, onClose }: NodeDialogsProps) {
  if (dialog === null) return null;
  const { kind, nodeId } = dialog;
  const add = (request: AddRequest): void => {
    onClose();
    onAdd(request);
  };
  return (
    <Suspense fallback={null}>
      {kind === 'connect' && (
        <ConnectDialog
          {...{ graph, types, nodeId, onClose }}
          onAdd={add}
          onConnect={({ connection }) => {
            onClose();
            const edge = connectionEdge(connection);
            perform(`Connect ${edge.source_node_id} to ${edge.target_node_id}`, [{ op: 'create_edge', edge }]);
          }}
        />
      )}
      {kind === 'disconnect' && (
        <DisconnectDialog
          {...{ graph, nodeId, onClose }}
          onInsert={(edge) => add({ edge })}
          onDisconnect={(edge) => {
            onClose();
            const { from, to } = edgeEnds(edge, graph);
            perform(`Disconnect ${from} from ${to}`, [{ op: 'delete_edge', edge_id: edge.id }]);
          }}
        />
      )}
      {kind === 'rename' && (
        <RenameDialog
          nodeId={nodeId}
          label={graph.nodes.find((node) => node.node_id === nodeId)?.label ?? null}
          onClose={onClose}
          onRename={(label, isContested) => {
            onClose();
            const act = isContested ? contest : perform;
            act(`Rename ${nodeId}`, [{ op: 'update_node', node_id: nodeId, changes: { label } }]);
          }}
        />
      )}
    </Suspense>
  );
}
