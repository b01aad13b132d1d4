import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import type { Workflow } from './workflows.ts';

export type TrashedWorkflow = Schemas['TrashedWorkflow'];

/** One page of the user's deleted workflows, last deleted first. */
export function trashQuery(page: { readonly limit: number; readonly offset: number }) {
  return queryOptions({
    // Below the key of all workflows, so that a change of a workflow refreshes the trash too.
    queryKey: ['workflows', 'trash', page],
    queryFn: () => answerOf(client.GET('/api/v1/trash/', { params: { query: { ...page } } })),
  });
}

/** Moves a workflow to the trash of its owner. @throws ApiError */
export async function deleteWorkflow(slug: string): Promise<void> {
  await answerOf(client.DELETE('/api/v1/workflows/{slug}/', { params: { path: { slug } } }));
}

/** Restores a deleted workflow under its slug. @throws ApiError with status 409 if another workflow has the slug */
export function restoreWorkflow(id: number): Promise<Workflow> {
  return answerOf(client.POST('/api/v1/trash/{workflow_id}/restore/', { params: { path: { workflow_id: id } } }));
}

/** Deletes a workflow permanently, with its runs and versions. @throws ApiError */
export async function purgeWorkflow(id: number): Promise<void> {
  await answerOf(client.DELETE('/api/v1/trash/{workflow_id}/', { params: { path: { workflow_id: id } } }));
}
