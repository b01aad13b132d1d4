import { answerOf, type Schemas } from '@millrace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type Issue = Schemas['Issue'];

/** The issues of a version of a workflow. */
export function validationQuery(slug: string, version: number) {
  return queryOptions({
    queryKey: ['validation', slug, version],
    queryFn: () => answerOf(client.POST('/api/v1/workflows/{slug}/validate/', { params: { path: { slug } } })),
    placeholderData: keepPreviousData,
  });
}
