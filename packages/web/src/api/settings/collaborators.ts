import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type Collaborator = Schemas['Collaborator'];
export type Role = Collaborator['role'];

/** The users with whom a workflow is shared. */
export function collaboratorsQuery(slug: string) {
  return queryOptions({
    queryKey: ['collaborators', slug],
    queryFn: () => answerOf(client.GET('/api/v1/workflows/{slug}/collaborators/', { params: { path: { slug } } })),
  });
}

/** Shares a workflow with a user. @throws ApiError */
export function addCollaborator(slug: string, body: Schemas['NewCollaborator']): Promise<Collaborator> {
  return answerOf(client.POST('/api/v1/workflows/{slug}/collaborators/', { params: { path: { slug } }, body }));
}

/** @throws ApiError */
export function changeRole(slug: string, username: string, role: Role): Promise<Collaborator> {
  const params = { path: { slug, username } };
  return answerOf(client.PATCH('/api/v1/workflows/{slug}/collaborators/{username}/', { params, body: { role } }));
}

/** Ends the sharing with a user. @throws ApiError */
export async function removeCollaborator(slug: string, username: string): Promise<void> {
  const params = { path: { slug, username } };
  await answerOf(client.DELETE('/api/v1/workflows/{slug}/collaborators/{username}/', { params }));
}
