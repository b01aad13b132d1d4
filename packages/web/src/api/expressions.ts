import { answerOf, type Schemas } from '@millrace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type ExpressionResult = Schemas['ExpressionResult'];

/** A text to evaluate. */
export interface ExpressionText {
  readonly slug: string;
  readonly nodeId: string;
  readonly text: string;
  readonly isBare: boolean;
}

/** The value of a text, as a step of the node would get it from the data of the newest execution. */
export function expressionQuery({ slug, nodeId, text, isBare }: ExpressionText) {
  return queryOptions({
    queryKey: ['expressions', slug, nodeId, text, isBare],
    queryFn: ({ signal }) =>
      answerOf(
        client.POST('/api/v1/workflows/{slug}/expressions/evaluate/', {
          params: { path: { slug } },
          body: { text, bare: isBare, node_id: nodeId },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // A new execution may have other data.
    staleTime: 5000,
    gcTime: 60_000,
  });
}
