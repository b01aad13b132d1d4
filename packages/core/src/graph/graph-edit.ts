import type { ConfigOptions } from '../expression/config/config-text.ts';
import { renameNodeInConfig } from '../expression/config/rename.ts';
import type { JsonObject } from '../json.ts';
import { type Edge, findNode, type Graph, type Node } from './graph.ts';

/** A new name for a node. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** The edges that begin or end at a node. */
export function edgesAt(graph: Graph, nodeId: string): readonly Edge[] {
  return graph.edges.filter((edge) => edge.sourceNodeId === nodeId || edge.targetNodeId === nodeId);
}

/** The edges that name a node, with its new name. */
export function renameInEdges(graph: Graph, { from, to }: Rename): readonly Edge[] {
  return graph.edges.flatMap((edge) => {
    const mapping = renameInMapping(edge.conditionMapping, { from, to });
    const isNamed = edge.sourceNodeId === from || edge.targetNodeId === from || mapping !== edge.conditionMapping;
    if (!isNamed) return [];
    const sourceNodeId = edge.sourceNodeId === from ? to : edge.sourceNodeId;
    const targetNodeId = edge.targetNodeId === from ? to : edge.targetNodeId;
    return [{ ...edge, sourceNodeId, targetNodeId, conditionMapping: mapping }];
  });
}

function renameInMapping(mapping: Edge['conditionMapping'], { from, to }: Rename): Edge['conditionMapping'] {
  if (mapping === null || !Object.values(mapping).includes(from)) return mapping;
  return Object.fromEntries(Object.entries(mapping).map(([route, target]) => [route, target === from ? to : target]));
}

/**
 * A config with a node renamed in all its expressions; the same object if none names it. `places` are the paths in
 * `extra_config`.
 */
export function renameInTexts(config: JsonObject, { from, to }: Rename, places: ConfigOptions): JsonObject {
  const { extra_config: extra = {}, ...common } = config;
  const renamed = renameNodeInConfig(extra, from, to, places);
  const renamedCommon = renameNodeInConfig(common, from, to) as JsonObject;
  return renamed === extra && renamedCommon === common
    ? config
    : { ...config, ...renamedCommon, extra_config: renamed };
}

/**
 * The nodes among `targets` whose link to their model no longer matches their `llm` edges. The link is the config's
 * `llm_model_config_id`: the id of the model node, null without an edge from an existing one.
 */
export function relinked(graph: Graph, targets: readonly string[]): readonly Node[] {
  return [...new Set(targets)].flatMap((nodeId) => {
    const node = findNode(graph, nodeId);
    if (node === undefined) return [];
    const link = modelIdOf(graph, nodeId);
    if (node.config.llm_model_config_id === link) return [];
    return [{ ...node, config: { ...node.config, llm_model_config_id: link } }];
  });
}

/** The model that a node's `llm` edges select: of several the one connected last, null if there is none. */
export function modelIdOf(graph: Graph, nodeId: string): number | null {
  for (const edge of graph.edges.toReversed()) {
    const model = edge.edgeLabel === 'llm' && edge.targetNodeId === nodeId && findNode(graph, edge.sourceNodeId);
    if (model) return model.id;
  }
  return null;
}
