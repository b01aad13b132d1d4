import type { Component } from '../component/component.ts';
import { readNodeConfig } from '../component/node-config.ts';
import type { DataType } from '../component/ports.ts';
import { labelOfSlot } from '../graph/edge-rules.ts';
import type { Edge, EdgeLabel, Node } from '../graph/graph.ts';
import { usualTypes } from '../graph/step-types.ts';
import type { GraphIssue } from './graph-issue.ts';

/** The interface's messages for a required sub-input without a connection. */
export function missingConnection(nodeId: string, subInput: string): string {
  return `Node '${nodeId}' is missing required '${subInput}' connection`;
}

/** The settings that a model node must have for the nodes connected to it. */
const modelSettings = [
  ['llm_credential_id', 'has no LLM credential'],
  ['model_name', 'names no model'],
] as const;

/** Settings without which a model node cannot be called; each may still be added before the workflow runs. */
export function checkModelSettings(
  { nodeId, config }: Node,
  { outputs }: Component<never>,
  outgoing: readonly Edge[],
): readonly GraphIssue[] {
  const isUsed = outgoing.some(({ edgeLabel }) => edgeLabel === 'llm');
  if (!isUsed || !outputs.some(({ dataType }) => dataType === 'llm')) return [];
  const common = readNodeConfig(config);
  return modelSettings.flatMap(([field, words]): readonly GraphIssue[] => {
    if (!common.success || common.data[field]) return [];
    const message = `Node '${nodeId}' ${words}: set its ${field}`;
    return [{ code: 'missing_setting', severity: 'warning', nodeId, field, message }];
  });
}

/** Names the edge label, and the type of node that is usually connected with it. */
function connectHint(label: EdgeLabel | undefined, dataType: DataType): string {
  const type = label === undefined ? undefined : usualTypes.get(label);
  const node = type === undefined ? `a node whose output is ${dataType}` : `a node of type '${type}'`;
  return `Connect ${node} to it by an edge labelled '${label}'.`;
}

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
}

/** Reports sub-inputs of a node that lack a required connection. */
export function checkConnections(
  { nodeId }: Node,
  { subInputs }: Component<never>,
  { nodes, incoming }: Around,
): readonly GraphIssue[] {
  const edges = incoming.get(nodeId) ?? [];
  return subInputs.flatMap(({ name, required, dataType }): readonly GraphIssue[] => {
    const label = labelOfSlot(name);
    const isConnected = edges.some((edge) => edge.edgeLabel === label && nodes.has(edge.sourceNodeId));
    if (required && !isConnected) {
      const message = missingConnection(nodeId, name);
      return [{ code: 'missing_connection', severity: 'error', nodeId, message, hint: connectHint(label, dataType) }];
    }
    return [];
  });
}
