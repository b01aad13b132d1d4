import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type NodeType, nodeTypesQuery } from '../../api/node-types.ts';
import type { Graph } from '../../state/graph.ts';
import { useShownExecution } from '../use-shown-execution.ts';
import type { ExpressionNames, KnownFunction, KnownNode } from './completions.ts';
import { sampleOf } from './sample.ts';
import { upstreamOf } from './upstream.ts';

/** What the expressions of a node can use: the nodes before it, and the values of the last execution. */
export function useExpressionNames(slug: string, graph: Graph, nodeId: string): ExpressionNames {
  const { data: types } = useQuery(nodeTypesQuery);
  const execution = useShownExecution(slug);
  const functions = useKnownFunctions();
  return useMemo(() => {
    const { nodeIds, isInLoop } = upstreamOf(graph, nodeId);
    const nodes = nodeIds.map((id) => knownNode(id, graph, types ?? {}));
    return { nodes, isInLoop, sample: sampleOf(execution), functions };
  }, [graph, nodeId, types, execution, functions]);
}

function knownNode(id: string, graph: Graph, types: Readonly<Record<string, NodeType>>): KnownNode {
  const node = graph.nodes.find(({ node_id: name }) => name === id);
  const ports = types[node?.component_type ?? '']?.outputs ?? [];
  return {
    id,
    label: node?.label ?? id,
    ports: ports.map(({ name, data_type: type, description }) => ({ name, type, description })),
  };
}

const none: readonly KnownFunction[] = [];

/** The functions of the language. They are loaded apart, because only suggestions need them. */
function useKnownFunctions(): readonly KnownFunction[] {
  const [functions, setFunctions] = useState(none);
  useEffect(() => {
    void import('./known-functions.ts').then(({ knownFunctions }) => setFunctions(knownFunctions));
  }, []);
  return functions;
}
