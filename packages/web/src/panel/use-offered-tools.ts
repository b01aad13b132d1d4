import { firstNewId } from '@millrace/core/editing';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type NodeTools, type NodeType, nodeToolsQuery } from '../api/node-types.ts';
import type { Graph, GraphNode } from '../state/graph.ts';
import { useIsReadOnly } from '../state/use-is-read-only.ts';
import { type FieldRole, offersSeveral, toolRoles } from './fields/tool-roles.ts';

/** What a node is for agents. */
export interface Offer {
  /** Whether it can be a tool of an agent: it is one, or another server lists its tools. */
  readonly isTool: boolean;
  /** Whether another server is asked for the tools: then only on demand. */
  readonly isRemote: boolean;
  readonly tools: NodeTools | undefined;
  readonly error: Error | null;
  readonly isAsking: boolean;
  readonly ask: () => void;
  /** What each field is for the model. */
  readonly roles: ReadonlyMap<string, FieldRole>;
}

export const noRoles: Offer['roles'] = new Map();

/** What a node offers to the agents that it is connected to as a tool. */
export function useOfferedTools(slug: string, node: GraphNode, { graph, type }: OfferPlace): Offer {
  const { id, node_id: nodeId, config } = node;
  const isRemote = offersSeveral(type);
  const isConnected = graph.edges.some((edge) => edge.source_node_id === nodeId && edge.edge_label === 'tool');
  // Only editors may ask, and only about what is stored.
  const isAnswered = !useIsReadOnly(slug) && id < firstNewId;
  const { data, error, isFetching, refetch } = useQuery({
    ...nodeToolsQuery(slug, node, { isRemote }),
    enabled: isConnected && !isRemote && isAnswered,
  });
  const roles = useMemo(
    () => (isConnected ? toolRoles(data, config.extra_config ?? {}) : noRoles),
    [isConnected, data, config.extra_config],
  );
  return {
    isTool: isAnswered && (isConnected || isRemote),
    isRemote,
    tools: data,
    error,
    isAsking: isFetching,
    ask: () => void refetch(),
    roles,
  };
}

interface OfferPlace {
  readonly graph: Graph;
  readonly type: NodeType | undefined;
}
