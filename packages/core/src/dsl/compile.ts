import { readNodeConfig } from '../component/node-config.ts';
import type { Graph, Node } from '../graph/graph.ts';
import type { JsonObject } from '../json.ts';
import type { Draft, DraftNode, Mention } from './draft.ts';
import { defaultPlaces } from './places.ts';

/** The ids of the names in a text, resolved by a caller with access to the store. */
export interface DslNames {
  /** The id of each credential by its name; null for an ambiguous name. */
  readonly credentials: ReadonlyMap<string, number | null>;
  /** The id of each workflow by its slug, for the workflows visible to the author of the text. */
  readonly workflows: ReadonlyMap<string, number>;
}

/** The names that a text refers to. */
export interface Mentions {
  readonly credentials: readonly Mention[];
  readonly workflows: readonly Mention[];
}

/** All names that a draft refers to, in the order of the text. */
export function mentionsOf({ header, nodes }: Draft): Mentions {
  const handler = header.errorHandler === null ? [] : [{ name: header.errorHandler, path: ['error_handler'] }];
  return {
    credentials: nodes.flatMap(({ credentials }) => [...credentials.values()]),
    workflows: [...handler, ...nodes.flatMap(({ subworkflow }) => (subworkflow === null ? [] : [subworkflow]))],
  };
}

/** The graph of a draft. Its ids count from 1 in the order of the text and are independent of the ids in a store. */
export function graphOf({ nodes, edges, layout }: Draft, names: DslNames): Graph {
  const places = new Map([...defaultPlaces({ nodes, edges }), ...layout]);
  return {
    nodes: nodes.map((node, index) => nodeOf(node, { names, id: index + 1, place: places.get(node.nodeId) })),
    edges: edges.map(({ edge }, index) => ({ ...edge, id: index + 1 })),
  };
}

/** The config of a draft's node, with the names of its credentials replaced by ids. */
export function draftConfig(draft: DraftNode, names: DslNames): JsonObject {
  const credentials = [...draft.credentials].map(([field, { name }]) => [field, names.credentials.get(name) ?? null]);
  return { ...draft.config, ...Object.fromEntries(credentials) };
}

interface NodeContext {
  readonly names: DslNames;
  readonly id: number;
  readonly place: readonly [number, number] | undefined;
}

function nodeOf(draft: DraftNode, { names, id, place = [0, 0] }: NodeContext): Node {
  const { nodeId, label, componentType, isEntryPoint, interruptBefore, interruptAfter, codeBlockId } = draft;
  const [positionX, positionY] = place;
  return {
    id,
    nodeId,
    label,
    componentType,
    isEntryPoint,
    interruptBefore,
    interruptAfter,
    positionX,
    positionY,
    config: withDefaults(draftConfig(draft, names)),
    subworkflowId: (draft.subworkflow && names.workflows.get(draft.subworkflow.name)) ?? null,
    codeBlockId,
    updatedAt: 0,
  };
}

/** The config as it is stored; an invalid config stays unchanged, and the check reports it. */
function withDefaults(config: JsonObject): JsonObject {
  const parsed = readNodeConfig(config);
  return parsed.success ? (parsed.data as JsonObject) : config;
}
