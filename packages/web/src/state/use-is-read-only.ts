import { ApiError } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { collaboratorsQuery } from '../api/settings/collaborators.ts';

/**
 * Whether the user may read a workflow and not change it: a collaborator with the role of a viewer, or a reader of a
 * public workflow, who does not see with whom it is shared. False until that is known.
 */
export function useIsReadOnly(slug: string): boolean {
  const { data: session } = useQuery(sessionQuery);
  const { data: collaborators, error } = useQuery(collaboratorsQuery(slug));
  if (error instanceof ApiError && error.status === 403) return true;
  const own = collaborators?.find(({ username }) => username === session?.user?.username);
  return own?.role === 'viewer';
}

/** What the editor says to them. */
export const readOnlyText = 'You can read this workflow, but not change it. Its owner can make you an editor.';
