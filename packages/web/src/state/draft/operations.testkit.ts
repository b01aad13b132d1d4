import { emptyConfig, type JsonObject, type NodeFields } from '@millrace/core/editing';
import type { DraftOperation } from './operation.ts';

/** Creates a node with a text. */
export function node(nodeId: string, text = ''): DraftOperation {
  const fields: NodeFields = {
    nodeId,
    label: null,
    componentType: 'template',
    isEntryPoint: false,
    interruptBefore: false,
    interruptAfter: false,
    positionX: 0,
    positionY: 0,
    config: { ...emptyConfig, extra_config: { text } } as JsonObject,
    subworkflowId: null,
    codeBlockId: null,
  };
  return { op: 'create_node', node: fields };
}

/** The fields of an edge besides its ends. */
export const edge = {
  edgeType: 'direct',
  edgeLabel: '',
  conditionMapping: null,
  conditionValue: '',
  priority: 0,
} as const;

/** Gives a node a label. */
export const label = (nodeId: string, text: string): DraftOperation => ({
  op: 'update_node',
  nodeId,
  changes: { label: text },
});

/** Gives a node another name. */
export const rename = (nodeId: string, to: string): DraftOperation => ({
  op: 'update_node',
  nodeId,
  changes: { nodeId: to },
});
