import type { Collaborator, CollaboratorRole, Instant } from '@millrace/core';

/** With whom workflows are shared. */
export interface CollaboratorStore {
  /** In the order in which they came. */
  listOf(workflowId: number): Promise<readonly Collaborator[]>;
  /** Null when the user does not collaborate on the workflow; also for its owner, who is no collaborator. */
  roleOf(params: { workflowId: number; userId: number }): Promise<CollaboratorRole | null>;
  /** Null when they collaborate already. */
  insert(params: NewCollaborator): Promise<Collaborator | null>;
  /** Null when they do not collaborate. */
  update(params: { workflowId: number; userId: number; role: CollaboratorRole }): Promise<Collaborator | null>;
  /** False when they do not collaborate. */
  remove(params: { workflowId: number; userId: number }): Promise<boolean>;
}

/** Somebody with whom to share a workflow. */
export interface NewCollaborator {
  readonly workflowId: number;
  readonly userId: number;
  readonly role: CollaboratorRole;
  readonly at: Instant;
}
