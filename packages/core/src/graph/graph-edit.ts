import type { Catalogue, Component } from '../component/component.ts';
import { expressionPlaces } from '../component/expression-places.ts';
import { isPolicy, type Policies } from '../component/policies.ts';
import { renameNodeInConfig } from '../expression/config/rename.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
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

/** A node's config with another node renamed in all its expressions; the same object if none names it. */
export function renameInConfig(
  { config, componentType }: Node,
  { from, to }: Rename,
  catalogue: Catalogue,
): JsonObject {
  const { extra_config: extra = {}, ...common } = config;
  const component = catalogue.get(componentType);
  const places = component === undefined ? {} : expressionPlaces(component);
  const written = withoutPin(extra, component);
  const renamed = renameNodeInConfig(written, from, to, places) as JsonObject;
  const renamedCommon = renameNodeInConfig(common, from, to) as JsonObject;
  return renamed === written && renamedCommon === common
    ? config
    : { ...config, ...renamedCommon, extra_config: { ...(extra as JsonObject), ...renamed } };
}

/** A pinned output is literal, so text in it that looks like an expression is not one. */
function withoutPin(extra: Json, component: Component<never> | undefined): Json {
  if (!isObject(extra) || component === undefined || !isPolicy(pinKey, component)) return extra;
  if (!Object.hasOwn(extra, pinKey)) return extra;
  const { [pinKey]: _pinned, ...written } = extra;
  return written;
}

const pinKey = 'pinned_output' satisfies keyof Policies;

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
