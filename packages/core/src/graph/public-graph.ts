import type { Policies } from '../component/policies.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { Graph, Node } from './graph.ts';

/**
 * The keys of `extra_config` with the data of runs: outputs that were pinned, and the payload of a schedule. They are
 * hidden in nodes of every type, so that a new component with such a key cannot be forgotten here.
 */
const runDataKeys: readonly string[] = ['pinned_output' satisfies keyof Policies, 'trigger_payload'];

// Weak, because a graph never changes: its public form exists as long as the graph is cached.
const known = new WeakMap<Graph, Graph>();

/** The same for the keys of `trigger_config`: samples are payloads, and often those of real calls. */
const triggerDataKeys: readonly string[] = ['samples'];

/** A node for users who may not see runs. The same object if it contains nothing of them. */
export function publicNode(node: Node): Node {
  const { extra_config: extra, trigger_config: trigger } = node.config;
  const shown = {
    ...(hasAny(extra, runDataKeys) && { extra_config: without(extra, runDataKeys) }),
    ...(hasAny(trigger, triggerDataKeys) && { trigger_config: without(trigger, triggerDataKeys) }),
  };
  return Object.keys(shown).length === 0 ? node : { ...node, config: { ...node.config, ...shown } };
}

function hasAny(config: Json | undefined, keys: readonly string[]): config is JsonObject {
  return isObject(config) && keys.some((key) => Object.hasOwn(config, key));
}

function without(config: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !keys.includes(key)));
}

/** The same for a graph. */
export function publicGraph<G extends Graph>(graph: G): G {
  const seen = (known.get(graph) as G | undefined) ?? withPublicNodes(graph);
  known.set(graph, seen);
  return seen;
}

function withPublicNodes<G extends Graph>(graph: G): G {
  const nodes = graph.nodes.map(publicNode);
  return nodes.every((node, index) => node === graph.nodes[index]) ? graph : { ...graph, nodes };
}
