import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** A node type of the catalogue. */
export type NodeType = Schemas['Component'];

/** All node types, by name. They change only with the version of the service. */
export const nodeTypesQuery = queryOptions({
  queryKey: ['node-types'],
  queryFn: () => answerOf(client.GET('/api/v1/workflows/node-types/')),
  staleTime: Number.POSITIVE_INFINITY,
});

export type NodeTools = Schemas['NodeTools'];

interface ToolNode {
  readonly node_id: string;
  /** Changes with each stored edit of the node. */
  readonly updated_at: string;
}

/** What a stored node offers to agents now. An MCP server is asked, so only on demand if it is remote. */
export function nodeToolsQuery(slug: string, node: ToolNode, { isRemote }: { readonly isRemote: boolean }) {
  const { node_id: nodeId, updated_at: version } = node;
  return queryOptions({
    queryKey: ['node-tools', slug, nodeId, version],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/api/v1/workflows/{slug}/nodes/{node_id}/tools/', {
          params: { path: { slug, node_id: nodeId } },
          signal,
        }),
      ),
    enabled: !isRemote,
    // What another server offers may depend on what was edited.
    placeholderData: (previous) => (isRemote ? undefined : previous),
    gcTime: 60_000,
  });
}
