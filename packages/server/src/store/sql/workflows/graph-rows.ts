import { type Edge, type EdgeLabel, type EdgeType, isObject, type Json, type Node, parseInstant } from '@millrace/core';
import type { EdgeFields, NodeFields } from '../../graphs.ts';
import { type Bit, jsonOrNull, readJson, toBit } from '../database/columns.ts';
import { Damage } from '../database/failures.ts';

/** The columns of `nodes` that a caller sees. */
export interface NodeRow {
  readonly id: number;
  readonly node_id: string;
  readonly label: string | null;
  readonly component_type: string;
  readonly is_entry_point: Bit;
  readonly interrupt_before: Bit;
  readonly interrupt_after: Bit;
  readonly position_x: number;
  readonly position_y: number;
  readonly config: string;
  readonly subworkflow_id: number | null;
  readonly code_block_id: number | null;
  readonly updated_at: string;
}

/** The columns of `edges` that a caller sees. */
export interface EdgeRow {
  readonly id: number;
  readonly source_node_id: string;
  readonly target_node_id: string;
  readonly edge_type: EdgeType;
  readonly edge_label: EdgeLabel;
  readonly condition_mapping: string | null;
  readonly condition_value: string;
  readonly priority: number;
}

/** The columns that a caller sets, in the order of `nodeParams`. */
export const nodeFieldColumns = [
  'node_id',
  'label',
  'component_type',
  'is_entry_point',
  'interrupt_before',
  'interrupt_after',
  'position_x',
  'position_y',
  'config',
  'subworkflow_id',
  'code_block_id',
] as const;

/** The columns that a caller sets, in the order of `edgeParams`. */
export const edgeFieldColumns = [
  'source_node_id',
  'target_node_id',
  'edge_type',
  'edge_label',
  'condition_mapping',
  'condition_value',
  'priority',
] as const;

/** A node's columns as parameters. */
export type NodeParams = ReturnType<typeof nodeParams>;
/** An edge's columns as parameters. */
export type EdgeParams = ReturnType<typeof edgeParams>;

/** A node as parameters, in the order of `nodeFieldColumns`. */
export function nodeParams(node: NodeFields) {
  return [
    node.nodeId,
    node.label,
    node.componentType,
    toBit(node.isEntryPoint),
    toBit(node.interruptBefore),
    toBit(node.interruptAfter),
    node.positionX,
    node.positionY,
    JSON.stringify(node.config),
    node.subworkflowId,
    node.codeBlockId,
  ] satisfies unknown[];
}

/** An edge as parameters, in the order of `edgeFieldColumns`. */
export function edgeParams(edge: EdgeFields) {
  return [
    edge.sourceNodeId,
    edge.targetNodeId,
    edge.edgeType,
    edge.edgeLabel,
    jsonOrNull(edge.conditionMapping),
    edge.conditionValue,
    edge.priority,
  ] satisfies unknown[];
}

/**
 * Converts a row to a node. Without its config the node would behave differently, and would be saved that way, so a
 * damaged config is an error that names the node.
 */
export function toNode(row: NodeRow): Node {
  const config = readJson(row.config, isObject, null);
  if (config === null) throw new Damage(`The config of node '${row.node_id}'`);
  return {
    id: row.id,
    nodeId: row.node_id,
    label: row.label,
    componentType: row.component_type,
    isEntryPoint: row.is_entry_point === 1,
    interruptBefore: row.interrupt_before === 1,
    interruptAfter: row.interrupt_after === 1,
    positionX: row.position_x,
    positionY: row.position_y,
    config,
    subworkflowId: row.subworkflow_id,
    codeBlockId: row.code_block_id,
    updatedAt: parseInstant(row.updated_at),
  };
}

function isMapping(value: Json): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((target) => typeof target === 'string');
}

/** Converts a row to an edge; the same applies to its mapping. */
export function toEdge(row: EdgeRow): Edge {
  const conditionMapping = readJson(row.condition_mapping, isMapping, null);
  if (conditionMapping === null && row.condition_mapping !== null)
    throw new Damage(`The condition_mapping of edge ${row.id}`);
  return {
    id: row.id,
    sourceNodeId: row.source_node_id,
    targetNodeId: row.target_node_id,
    edgeType: row.edge_type,
    edgeLabel: row.edge_label,
    conditionMapping,
    conditionValue: row.condition_value,
    priority: row.priority,
  };
}
