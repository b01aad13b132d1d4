import type { NodeType } from '../api/node-types.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';

/** The labels of edges that end at a slot, with the slot that they fill. */
export const slotOf: Readonly<Record<string, string>> = {
  llm: 'model',
  tool: 'tools',
  memory: 'memory',
  output_parser: 'output_parser',
};

/** A place of a node for another one: its model, its tools, its memory, its parser. */
export interface Slot {
  readonly name: string;
  readonly isRequired: boolean;
  /** What fills it, in the order of connection: of several models, memories or parsers the last one is used. */
  readonly held: readonly HeldNode[];
}

export interface HeldNode {
  readonly edge: GraphEdge;
  readonly node: GraphNode;
}

/** The slots of a node; empty for a type that has none. */
export function slotsOf({ nodes, edges }: Graph, nodeId: string, type: NodeType | undefined): readonly Slot[] {
  const slots = type?.sub_inputs ?? [];
  if (slots.length === 0) return [];
  const ending = edges.filter((edge) => edge.target_node_id === nodeId);
  return slots.map(({ name, required }) => ({
    name,
    isRequired: required,
    held: ending
      .filter((edge) => slotOf[edge.edge_label] === name)
      .flatMap((edge) => {
        const node = nodes.find(({ node_id: id }) => id === edge.source_node_id);
        return node === undefined ? [] : [{ edge, node }];
      }),
  }));
}

/** Whether a slot has room for more nodes: an agent has any number of tools. */
export function takesSeveral(slot: string): boolean {
  return slot === 'tools';
}

/** The name of a slot for people. */
export function slotTitle(slot: string): string {
  return slot.replace('_', ' ');
}
