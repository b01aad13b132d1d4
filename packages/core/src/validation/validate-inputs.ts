import type { Component } from '../component/component.ts';
import type { InputPort } from '../component/ports.ts';
import { isFlow } from '../engine/run-part.ts';
import type { Edge, Node } from '../graph/graph.ts';
import { suppliesOwnInput } from '../graph/own-input.ts';
import type { GraphIssue } from './graph-issue.ts';

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly outgoing: ReadonlyMap<string, readonly Edge[]>;
}

/** Reports a required input that neither an edge nor the config supplies. */
export function checkInput(
  { nodeId, config }: Node,
  component: Component<never>,
  { nodes, incoming, outgoing }: Around,
): readonly GraphIssue[] {
  const [port] = component.inputs;
  if (component.run === undefined || port === undefined || !isNeeded(port)) return [];
  const isFed = incoming.get(nodeId)?.some((edge) => feeds(edge) && nodes.has(edge.sourceNodeId)) === true;
  // A tool is given its input by its parent.
  const isTool = outgoing.get(nodeId)?.some((edge) => !isFlow(edge)) === true;
  if (isFed || isTool || suppliesOwnInput(config, component)) return [];
  const message = `Node '${nodeId}' has no value for its input '${port.name}': ${remedy(port)}`;
  return [{ code: 'missing_input', severity: 'error', nodeId, message }];
}

/** An input of type `any` also accepts null. */
function isNeeded({ required, dataType, failsEmpty }: InputPort): boolean {
  return failsEmpty === true || (required && dataType !== 'any');
}

function feeds(edge: Edge): boolean {
  return isFlow(edge) && edge.edgeLabel !== 'loop_return';
}

function remedy({ dataType, suppliedBy = [] }: InputPort): string {
  const edge = `connect a node whose output is ${dataType}`;
  return suppliedBy.length === 0 ? edge : `set its ${suppliedBy.join(' or ')}, or ${edge}`;
}
