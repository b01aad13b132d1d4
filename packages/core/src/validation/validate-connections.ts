import type { Component } from '../component/component.ts';
import { readNodeConfig } from '../component/node-config.ts';
import { labelOfSlot } from '../graph/edge-rules.ts';
import type { Edge, Node } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';

/** The interface's words for a sub-input that must be connected and is not. */
export function missingConnection(nodeId: string, subInput: string): string {
  return `Node '${nodeId}' is missing required '${subInput}' connection`;
}

/** What is said of a sub-input that is connected to something, and cannot be used yet. */
export function plannedConnection(nodeId: string, subInput: string): string {
  return `Node '${nodeId}' has a '${subInput}' connection, which is not supported yet: remove it to run the node`;
}

/** What a model node must say, for those that are connected to it. */
const modelSettings = [
  ['llm_credential_id', 'has no LLM credential'],
  ['model_name', 'names no model'],
] as const;

/** Settings without which a model node cannot be asked; each may still be given before the workflow runs. */
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

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
}

/** Sub-inputs of a node that lack what they need, or have what they cannot use yet. */
export function checkConnections(
  { nodeId }: Node,
  { subInputs, plannedSubInputs = [] }: Component<never>,
  { nodes, incoming }: Around,
): readonly GraphIssue[] {
  const edges = incoming.get(nodeId) ?? [];
  return subInputs.flatMap(({ name, required }): readonly GraphIssue[] => {
    const label = labelOfSlot(name);
    const isConnected = edges.some((edge) => edge.edgeLabel === label && nodes.has(edge.sourceNodeId));
    if (required && !isConnected) {
      return [{ code: 'missing_connection', severity: 'error', nodeId, message: missingConnection(nodeId, name) }];
    }
    // The workflow is well formed, and another version will run it.
    return isConnected && plannedSubInputs.includes(name)
      ? [{ code: 'not_supported', severity: 'warning', nodeId, message: plannedConnection(nodeId, name) }]
      : [];
  });
}
