import { useMemo } from 'react';
import type { NodeType } from '../../api/node-types.ts';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import type { NodeTypes } from '../flow.ts';
import { NodePicker } from './node-picker.tsx';
import { type AddRequest, addOperations, fittingTypes } from './quick-add.ts';

interface AddNodeDialogProps {
  /** Null while the dialog is closed. */
  readonly request: AddRequest | null;
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly onClose: () => void;
  readonly onAdded: (nodeId: string) => void;
  /** Gives the focus to the new node. */
  readonly onFocus: (nodeId: string) => void;
}

/** The node types that fit a place, a port or a connection. The chosen one is added there, connected. */
export function AddNodeDialog({ request, graph, types, perform, onClose, onAdded, onFocus }: AddNodeDialogProps) {
  const fitting = useMemo(
    () => (request === null ? {} : fittingTypes(request, { graph, types })),
    [request, graph, types],
  );
  const add = (type: NodeType): void => {
    if (request === null) return;
    const { nodeId, operations } = addOperations(type, request, { graph, types });
    perform(`Add ${type.label}`, operations);
    onClose();
    onAdded(nodeId);
    onFocus(nodeId);
  };
  return (
    <NodePicker
      title={titleOf(request)}
      types={fitting}
      isOpen={request !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      onPick={add}
    />
  );
}

function titleOf(request: AddRequest | null): string {
  if (request?.edge !== undefined) return 'Insert a node into the connection';
  if (request?.from === undefined) return 'Add a node';
  const { nodeId, port, kind } = request.from;
  if (kind === 'source') return `Add a node after ${nodeId}`;
  return port === 'in' ? `Add a node before ${nodeId}` : `Add ${port.replace('_', ' ')} to ${nodeId}`;
}
