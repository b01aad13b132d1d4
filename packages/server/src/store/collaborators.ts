import type { Collaborator, CollaboratorRole, Instant } from '@millrace/core';

/** The users with whom workflows are shared. */
export interface CollaboratorStore {
  /** In the order in which they were added. */
  listOf(workflowId: number): Promise<readonly Collaborator[]>;
  /** Null if the user does not collaborate on the workflow; also for its owner, who is not a collaborator. */
  roleOf(params: { workflowId: number; userId: number }): Promise<CollaboratorRole | null>;
  /** Null if they already collaborate. */
  insert(params: NewCollaborator): Promise<Collaborator | null>;
  /** Null if they do not collaborate. */
  update(params: { workflowId: number; userId: number; role: CollaboratorRole }): Promise<Collaborator | null>;
  /** False if they do not collaborate. */
  remove(params: { workflowId: number; userId: number }): Promise<boolean>;
}

/** A user to share a workflow with. */
export interface NewCollaborator {
  readonly workflowId: number;
  readonly userId: number;
  readonly role: CollaboratorRole;
  readonly at: Instant;
}
