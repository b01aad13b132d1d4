import { emptyConfig, isObject, isSameJson, type Json, type JsonObject, renameInTexts } from '@millrace/core/editing';
import type { Operation } from '../../api/graph.ts';
import type { Graph, GraphEdge, GraphNode } from '../../state/graph.ts';
import { nextName, type Place } from '../../state/new-node.ts';

/** A part of a graph, for the clipboard: nodes and the connections between them. */
export interface Fragment {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
}

/** References to stored secrets. They mean something else, or nothing, in another service. */
const credentialKeys = ['llm_credential_id', 'credential_id'];
/** The link to a model follows from an edge. */
const derivedKeys = ['llm_model_config_id'];

/** The part of a graph with these nodes. It contains no secrets, only references to credentials. */
export function fragmentOf({ nodes, edges }: Graph, names: ReadonlySet<string>): Fragment {
  return {
    nodes: nodes.filter(({ node_id: name }) => names.has(name)).map(nodeIn),
    edges: edges.filter((edge) => names.has(edge.source_node_id) && names.has(edge.target_node_id)).map(edgeIn),
  };
}

/** The fragment without references to credentials, for use anywhere. */
export function portable({ nodes, edges }: Fragment): Fragment {
  return {
    nodes: nodes.map((node) => ({ ...node, config: withoutKeys(configOf(node), credentialKeys) })),
    edges,
  };
}

function nodeIn({
  node_id,
  component_type,
  label,
  is_entry_point,
  position_x,
  position_y,
  config,
}: GraphNode): JsonObject {
  const given = Object.entries(withoutKeys(config as JsonObject, derivedKeys)).filter(([key, value]) => {
    return !isSameJson(value, (emptyConfig as unknown as JsonObject)[key] ?? null);
  });
  return {
    ...{ node_id, component_type, position_x, position_y },
    ...(label !== null && { label }),
    ...(is_entry_point && { is_entry_point }),
    ...(given.length > 0 && { config: Object.fromEntries(given) }),
  };
}

function edgeIn({
  source_node_id,
  target_node_id,
  edge_type,
  edge_label,
  condition_value,
  priority,
}: GraphEdge): JsonObject {
  return {
    ...{ source_node_id, target_node_id },
    ...(edge_type !== 'direct' && { edge_type, condition_value }),
    ...(edge_label !== '' && { edge_label }),
    ...(priority !== 0 && { priority }),
  };
}

function configOf({ config }: JsonObject): JsonObject {
  return isObject(config) ? config : {};
}

function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** The fragment that a value from the clipboard contains; null if it is something else. */
export function fragmentFrom(value: unknown): Fragment | null {
  const given = value as { readonly nodes?: unknown; readonly edges?: unknown } | null;
  if (!Array.isArray(given?.nodes) || given.nodes.length === 0) return null;
  const isNode = (node: JsonObject): boolean =>
    isObject(node) && typeof node.node_id === 'string' && typeof node.component_type === 'string';
  const edges: unknown = given.edges ?? [];
  if (!given.nodes.every(isNode) || !Array.isArray(edges)) return null;
  const isEdge = (edge: JsonObject): boolean =>
    isObject(edge) && typeof edge.source_node_id === 'string' && typeof edge.target_node_id === 'string';
  return edges.every(isEdge) ? { nodes: given.nodes as JsonObject[], edges: edges as JsonObject[] } : null;
}

/**
 * The operations that add a fragment to a graph, and the names of its nodes there. Nodes whose name is taken get another
 * one, which the expressions of the fragment then use.
 */
export function pasteOperations(fragment: Fragment, graph: Graph, corner: Place) {
  const taken = new Set(graph.nodes.map(({ node_id: name }) => name));
  const known = new Set([...taken, ...fragment.nodes.map(nameOf)]);
  const names = new Map<string, string>();
  for (const name of fragment.nodes.map(nameOf)) {
    const free = taken.has(name) ? nextName(name.replace(/_\d+$/, ''), known) : name;
    known.add(free);
    names.set(name, free);
  }
  const left = Math.min(...fragment.nodes.map((node) => numberOf(node.position_x)));
  const top = Math.min(...fragment.nodes.map((node) => numberOf(node.position_y)));
  const nodes = fragment.nodes.map((node): Operation => {
    const place = {
      position_x: Math.round(corner.x + numberOf(node.position_x) - left),
      position_y: Math.round(corner.y + numberOf(node.position_y) - top),
    };
    const own = { node_id: names.get(nameOf(node)) ?? nameOf(node), config: renamed(configOf(node), names) };
    return { op: 'create_node', node: { ...node, ...place, ...own } as never };
  });
  const edges = fragment.edges.map((edge): Operation => {
    const nameAt = (end: Json | undefined): string => names.get(String(end)) ?? String(end);
    const ends = { source_node_id: nameAt(edge.source_node_id), target_node_id: nameAt(edge.target_node_id) };
    return { op: 'create_edge', edge: { ...edge, ...ends } as never };
  });
  return { names: [...names.values()], operations: [...nodes, ...edges] };
}

/** New names are none of the old ones, so the order of the renames makes no difference. */
function renamed(config: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  let result = config;
  for (const [from, to] of names) if (from !== to) result = renameInTexts(result, { from, to }, {});
  return result;
}

function nameOf({ node_id: name }: JsonObject): string {
  return String(name);
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
