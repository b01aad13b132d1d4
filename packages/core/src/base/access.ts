import type { Instant } from '../time.ts';

/** The roles of a collaborator: an editor may change the workflow, a viewer may read it. Both may run its webhook. */
export const collaboratorRoles = ['editor', 'viewer'] as const;
export type CollaboratorRole = (typeof collaboratorRoles)[number];

/** A user with whom a workflow is shared. */
export interface Collaborator {
  readonly userId: number;
  readonly username: string;
  readonly role: CollaboratorRole;
  /** When the workflow was shared. */
  readonly createdAt: Instant;
}

/**
 * A change of access rights: cached authorizations are no longer valid. A `key` was revoked; a `user` was deleted or
 * changed; a `member` became, changed or ceased to be a collaborator; a `workflow` was removed or became public or
 * private; `unknown` is a change by another process, which may be any of these.
 */
export type AccessChange =
  | { readonly kind: 'key'; readonly keyId: number }
  | { readonly kind: 'user'; readonly userId: number }
  | { readonly kind: 'member'; readonly workflowId: number; readonly userId: number }
  | { readonly kind: 'workflow'; readonly workflowId: number }
  | { readonly kind: 'unknown' };
