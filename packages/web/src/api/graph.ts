import { answerOf, type Schemas } from '@millrace/client';
import { client } from './client.ts';

/** One change of a graph. */
export type Operation = Schemas['GraphRequest']['operations'][number];

/** Applies operations to a version of a graph, all or none. @throws ApiError with status 409 if it is not the newest */
export function applyOperations(slug: string, version: number, operations: readonly Operation[]) {
  return answerOf(
    client.POST('/api/v1/workflows/{slug}/graph/', {
      params: { path: { slug } },
      body: { version, operations: [...operations] },
    }),
  );
}
