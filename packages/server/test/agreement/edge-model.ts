import { type Catalogue, type Edge, type Graph, isObject, type Node } from '@millrace/core';
import type { DataType } from '@millrace/core/testkit';

/** What the interface says of an edge: it may be made, or which of its rules it breaks. */
export type EdgeAnswer = 'allowed' | 'rule' | 'types';

const special: readonly DataType[] = ['llm', 'tool', 'memory', 'output_parser'];
const labelled: Readonly<Record<string, readonly [slot: string, type: DataType]>> = {
  llm: ['model', 'llm'],
  tool: ['tools', 'tool'],
  memory: ['memory', 'memory'],
  output_parser: ['output_parser', 'output_parser'],
};

/** The rules of `Edges` in the interface, written without the code that applies them. */
export function expectedFor(edge: Edge, { nodes, edges }: Graph, catalogue: Catalogue): EdgeAnswer {
  const [source, target] = [edge.sourceNodeId, edge.targetNodeId].map((id) => nodes.find((node) => node.nodeId === id));
  if (breaksRule(edge, source)) return 'rule';
  if (source === undefined || target === undefined) return 'allowed';
  const [from, to] = [catalogue.get(source.componentType), catalogue.get(target.componentType)];
  if (from === undefined || to === undefined) return 'allowed';
  if (edge.edgeLabel === 'loop_body' || edge.edgeLabel === 'loop_return') return 'allowed';
  const wanted = labelled[edge.edgeLabel];
  if (wanted !== undefined) {
    const [slot, type] = wanted;
    const fills =
      to.subInputs.some(({ name }) => name === slot) && from.outputs.some(({ dataType }) => dataType === type);
    return fills ? 'allowed' : 'types';
  }
  const input = to.inputs[0];
  if (input === undefined || (edge.edgeLabel === 'error' && from.run === undefined)) return 'types';
  if (from.run !== undefined && (input.suppliedBy ?? []).some((key) => isSet(target, key))) return 'allowed';
  const isParsed = source.componentType === 'agent' && hasParser(source, edges);
  const output = edge.edgeLabel === 'error' ? 'object' : isParsed ? 'any' : from.outputs[0]?.dataType;
  if (output === undefined) return 'types';
  return isCompatible(output, input.dataType, input.isTextOnly === true) ? 'allowed' : 'types';
}

function breaksRule(edge: Edge, source: Node | undefined): boolean {
  if (edge.targetNodeId === '' || edge.sourceNodeId === edge.targetNodeId) return true;
  if (edge.edgeType !== 'conditional') return false;
  return edge.conditionValue === '' || source?.componentType !== 'switch' || edge.edgeLabel === 'error';
}

function isSet({ config }: Node, key: string): boolean {
  return isObject(config.extra_config) && config.extra_config[key] !== undefined;
}

function hasParser({ nodeId }: Node, edges: readonly Edge[]): boolean {
  return edges.some(({ targetNodeId, edgeLabel }) => targetNodeId === nodeId && edgeLabel === 'output_parser');
}

function isCompatible(source: DataType, target: DataType, isTextOnly: boolean): boolean {
  if (special.includes(source) || special.includes(target)) return source === target;
  if (source === target || source === 'any' || target === 'any') return true;
  if (target !== 'text') return false;
  return source === 'number' || source === 'boolean' || (!isTextOnly && (source === 'array' || source === 'object'));
}
