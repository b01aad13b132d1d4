import type { Instant } from '../time.ts';

/** What a collaborator may do: an editor changes the workflow, a viewer reads it. Both run its webhook. */
export const collaboratorRoles = ['editor', 'viewer'] as const;
export type CollaboratorRole = (typeof collaboratorRoles)[number];

/** Somebody with whom a workflow is shared. */
export interface Collaborator {
  readonly userId: number;
  readonly username: string;
  readonly role: CollaboratorRole;
  /** Since when. */
  readonly createdAt: Instant;
}

/**
 * Who may what is different from now on: what was worked out before must be asked again. A `key` was revoked; a `user`
 * was deleted or changed; a `member` became, changed or ceased to be a collaborator; a `workflow` was removed or became
 * public or private; `unknown` is a change of another process, which may be any of these.
 */
export type AccessChange =
  | { readonly kind: 'key'; readonly keyId: number }
  | { readonly kind: 'user'; readonly userId: number }
  | { readonly kind: 'member'; readonly workflowId: number; readonly userId: number }
  | { readonly kind: 'workflow'; readonly workflowId: number }
  | { readonly kind: 'unknown' };
