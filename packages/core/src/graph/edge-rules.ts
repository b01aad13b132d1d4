import type { Component } from '../component/component.ts';
import { type DataType, fits, type InputPort, type OutputPort } from '../component/ports.ts';
import { hasDuplicate } from './duplicate-edges.ts';
import { type Edge, type EdgeLabel, findNode, type Graph, type Node } from './graph.ts';
import { suppliesOwnInput } from './own-input.ts';

/** An edge without its id: one to create, or an existing one to compare. */
export type EdgeDraft = Omit<Edge, 'id'>;

/** Why an edge is invalid: it violates a rule, its types are incompatible, or it duplicates another edge. */
export type EdgeIssue =
  | { readonly kind: 'rule'; readonly message: string }
  | { readonly kind: 'types'; readonly messages: readonly string[] }
  | { readonly kind: 'duplicate'; readonly message: string };

/** What the rules of edges read of a node type. The browser builds it from the catalogue of the API. */
export interface ConnectableType extends Pick<Component<never>, 'type' | 'inputs' | 'outputs' | 'subInputs'> {
  /** Defined for a type whose nodes run as steps. */
  readonly run?: unknown;
}

/** The node types by name. */
export interface ConnectableTypes {
  get(type: string): ConnectableType | undefined;
}

/** An edge to check, and what it is checked against. */
export interface EdgeCheck {
  readonly edge: EdgeDraft;
  /** The edge's own id if it already exists. */
  readonly id?: number;
  readonly graph: Graph;
  readonly catalogue: ConnectableTypes;
}

/** The node type whose routes conditional edges follow. */
export const switchType = 'switch';

/** The sub-input that a labelled edge fills: its name and type. */
const subInputByLabel: ReadonlyMap<EdgeLabel, { readonly name: string; readonly dataType: DataType }> = new Map([
  ['llm', { name: 'model', dataType: 'llm' }],
  ['tool', { name: 'tools', dataType: 'tool' }],
  ['memory', { name: 'memory', dataType: 'memory' }],
  ['output_parser', { name: 'output_parser', dataType: 'output_parser' }],
]);

/** The type of the value on an edge labelled `error`. */
const errorPort: OutputPort = { name: 'error', dataType: 'object', description: 'What failed, and how.' };

/** The first rule that an edge violates, in the order in which the API reports them: conditions, types, duplicates. */
export function checkEdge({ edge, id, graph, catalogue }: EdgeCheck): EdgeIssue | null {
  const ends = {
    source: findNode(graph, edge.sourceNodeId),
    target: findNode(graph, edge.targetNodeId),
    intoSource: graph.edges,
  };
  const issue = checkEnds(edge, ends, catalogue);
  if (issue !== null) return issue;
  if (!hasDuplicate(graph.edges, edge, id)) return null;
  const names = `'${edge.sourceNodeId}' to '${edge.targetNodeId}'`;
  return {
    kind: 'duplicate',
    message: `An edge from ${names} with this type, label and condition_value already exists.`,
  };
}

/** The nodes at the ends of an edge, if they exist. */
export interface Ends {
  readonly source: Node | undefined;
  readonly target: Node | undefined;
  /** The edges that end at the source, which may change the types of its outputs. May contain other edges. */
  readonly intoSource: readonly Edge[];
}

/** Like `checkEdge`, but does not look for duplicates. Types are checked only if both nodes exist. */
export function checkEnds(edge: EdgeDraft, ends: Ends, catalogue: ConnectableTypes): EdgeIssue | null {
  const { source, target, intoSource } = ends;
  const broken = brokenRule(edge, source?.componentType);
  if (broken !== null) return { kind: 'rule', message: broken };
  const sourceType = source && catalogue.get(source.componentType);
  const targetType = target && catalogue.get(target.componentType);
  if (sourceType === undefined || targetType === undefined) return null;
  if (target !== undefined && isForOrder(edge, sourceType) && suppliesOwnInput(target.config, targetType)) return null;
  const message = canConnect(asConnected(sourceType, edge.sourceNodeId, intoSource), targetType, edge.edgeLabel);
  return message === null ? null : { kind: 'types', messages: [message] };
}

/** The component, with type `any` for each output whose type depends on a sub-input that is connected. */
function asConnected(component: ConnectableType, nodeId: string, incoming: readonly Edge[]): ConnectableType {
  if (component.outputs.every(({ typedBy }) => typedBy === undefined)) return component;
  const labels = new Set(incoming.flatMap((edge) => (edge.targetNodeId === nodeId ? [edge.edgeLabel] : [])));
  const outputs = component.outputs.map((output): OutputPort => {
    const label = output.typedBy === undefined ? undefined : labelOfSlot(output.typedBy);
    return label !== undefined && labels.has(label) ? { ...output, dataType: 'any' } : output;
  });
  return { ...component, outputs };
}

/** Whether an edge may serve only to order execution: its source is a step, and it carries the output or the error. */
function isForOrder({ edgeLabel }: EdgeDraft, source: ConnectableType): boolean {
  return source.run !== undefined && (edgeLabel === '' || edgeLabel === 'error');
}

function brokenRule(edge: EdgeDraft, sourceType: string | undefined): string | null {
  if (edge.edgeType === 'conditional') {
    if (edge.conditionValue === '') return 'Conditional edges require a non-empty condition_value';
    if (edge.targetNodeId === '') return 'Conditional edges require a non-empty target_node_id';
    if (sourceType !== switchType) return "Conditional edges can only originate from 'switch' nodes";
    if (edge.edgeLabel === 'error') return "Conditional edges cannot be labelled 'error'";
  }
  if (edge.targetNodeId === '') return 'Edges require a non-empty target_node_id';
  if (edge.sourceNodeId === edge.targetNodeId) return 'An edge cannot lead from a node to itself';
  return null;
}

/** The reason why an edge with this label cannot connect nodes of these types; null if it can. */
export function canConnect(source: ConnectableType, target: ConnectableType, label: EdgeLabel): string | null {
  if (label === 'loop_body' || label === 'loop_return') return null;
  const input = inputFor(target, label);
  const output = outputFor(source, label);
  if (output === undefined)
    return `Source type '${source.type}' has no ${label === 'error' ? "'error' output" : 'output'}`;
  const from = `Source type '${source.type}' output '${output.name}' (${output.dataType})`;
  const to = `is not compatible with target '${target.type}'`;
  if (input === undefined) {
    const slot = subInputByLabel.get(label);
    return `${from} ${to}, which has no ${slot === undefined ? 'input' : `'${slot.name}' connection`}`;
  }
  if (fits(output.dataType, input)) return null;
  return `${from} ${to} input '${input.name}' (${input.dataType})`;
}

function inputFor(target: ConnectableType, label: EdgeLabel): InputPort | undefined {
  const slot = subInputByLabel.get(label);
  if (slot === undefined) return target.inputs[0];
  return target.subInputs.find((port) => port.name === slot.name);
}

/**
 * The source output for an edge with this label. If no output has the required type, the first one, so that the error
 * message can name it.
 */
function outputFor(source: ConnectableType, label: EdgeLabel): OutputPort | undefined {
  // A node that never runs cannot fail.
  if (label === 'error') return source.run === undefined ? undefined : errorPort;
  const slot = subInputByLabel.get(label);
  return source.outputs.find((port) => port.dataType === slot?.dataType) ?? source.outputs[0];
}

/** The sub-input that edges with this label fill; undefined for edges that a run follows. */
export function slotOf(label: EdgeLabel): { readonly name: string; readonly dataType: DataType } | undefined {
  return subInputByLabel.get(label);
}

/** The label of the edges that fill a sub-input. */
export function labelOfSlot(name: string): EdgeLabel | undefined {
  for (const [label, slot] of subInputByLabel) if (slot.name === name) return label;
  return undefined;
}
