import { findNode, type Graph, isObject, type JsonObject } from '@millrace/core/editing';
import type { FieldDrafts, FieldOwner } from './field-drafts.ts';

/** What a graph has of a field of a node, by the key of the field; undefined if the field is not set. */
export function storedValue(
  graph: Graph,
  { id, node_id: nodeId }: Omit<FieldOwner, 'component_type'>,
  key: string,
): unknown {
  const node = findNode(graph, nodeId) ?? graph.nodes.find((one) => one.id === id);
  if (node === undefined) return undefined;
  if (key === 'label') return node.label ?? undefined;
  const { extra_config: extra = null, ...common } = node.config as JsonObject;
  if (isObject(extra) && Object.hasOwn(extra, key)) return extra[key];
  // A key beside the extra config always has a value.
  return common[key] === null || common[key] === '' ? undefined : common[key];
}

/** An undo, or a redo, gave fields other values: what is typed into them begins with those. */
export function restartFields(fields: FieldDrafts, graph: Graph): void {
  fields.restart((owner, key) => storedValue(graph, owner, key));
}
