import type { Policies } from '../component/policies.ts';
import { isObject } from '../json.ts';
import type { Graph, Node } from './graph.ts';

/**
 * The keys of `extra_config` with the data of runs: outputs that were pinned, and the payload of a schedule. They are
 * hidden in nodes of every type, so that a new component with such a key cannot be forgotten here.
 */
const runDataKeys: readonly string[] = ['pinned_output' satisfies keyof Policies, 'trigger_payload'];

// Weak, because a graph never changes: its public form exists as long as the graph is cached.
const known = new WeakMap<Graph, Graph>();

/** A node for users who may not see runs. The same object if it contains nothing of them. */
export function publicNode(node: Node): Node {
  const { extra_config: extra } = node.config;
  if (!isObject(extra) || !runDataKeys.some((key) => Object.hasOwn(extra, key))) return node;
  const shown = Object.fromEntries(Object.entries(extra).filter(([key]) => !runDataKeys.includes(key)));
  return { ...node, config: { ...node.config, extra_config: shown } };
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
