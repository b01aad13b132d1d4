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
