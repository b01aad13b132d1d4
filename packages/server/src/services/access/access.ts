import { type CollaboratorRole, Problem, type User, type Workflow } from '@millrace/core';
import type { Store } from '../../store/store.ts';

/** The parts of the store that decisions about access read. */
export type AccessStore = Pick<Store, 'workflows' | 'collaborators'>;

/** A user's relation to a workflow. Everybody is a public viewer of a public workflow. */
export type Standing = 'owner' | CollaboratorRole | 'public';

/**
 * Computes the standing that decides about all access: the owner may do everything, an editor may change the workflow,
 * a viewer and a public viewer may read it and run its webhook, and only a public viewer may not see executions. Null
 * is a stranger, for whom the workflow does not exist. An admin manages users, not their workflows, so `isAdmin` does
 * not count here. For the owner nothing is read from the store.
 */
export async function standingOf(
  store: Pick<Store, 'collaborators'>,
  user: Pick<User, 'id'>,
  workflow: Pick<Workflow, 'id' | 'ownerId' | 'isPublic'>,
): Promise<Standing | null> {
  if (workflow.ownerId === user.id) return 'owner';
  const role = await store.collaborators.roleOf({ workflowId: workflow.id, userId: user.id });
  return role ?? (workflow.isPublic ? 'public' : null);
}

/** True if a user with this standing may see a workflow's executions and collaborators. */
export function isMember(standing: Standing | null): boolean {
  return standing !== null && standing !== 'public';
}

/** True if a user with this standing may change a workflow and control its executions. */
export function mayWrite(standing: Standing | null): boolean {
  return standing === 'owner' || standing === 'editor';
}

/**
 * The workflow with this slug, if the user may read it.
 * @throws Problem `not_found`, the same for missing and foreign
 */
export async function loadWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const workflow = await store.workflows.bySlug(slug);
  if (workflow?.ownerId === user.id) return workflow;
  if (workflow === null || (await standingOf(store, user, workflow)) === null) throw workflowNotFound();
  return workflow;
}

/** The workflow with this slug, if the user may change it. @throws Problem `not_found`, or `read_only` for a reader */
export async function loadWritableWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const { workflow, standing } = await loadStanding(store, user, slug);
  if (!mayWrite(standing)) throw readOnly();
  return workflow;
}

/** The same for actions of the owner only. @throws Problem `not_found`, `read_only`, or `owner_only` for an editor */
export async function loadOwnWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const { workflow, standing } = await loadStanding(store, user, slug);
  if (standing === 'owner') return workflow;
  throw mayWrite(standing) ? ownerOnly() : readOnly();
}

/** The same for what only members see. @throws Problem `not_found`, or `members_only` for a public viewer */
export async function loadSharedWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const { workflow, standing } = await loadStanding(store, user, slug);
  if (isMember(standing)) return workflow;
  throw new Problem('members_only', 'Only the owner and the collaborators of this workflow may see this.');
}

async function loadStanding(
  store: AccessStore,
  user: User,
  slug: string,
): Promise<{ readonly workflow: Workflow; readonly standing: Standing }> {
  const workflow = await store.workflows.bySlug(slug);
  if (workflow?.ownerId === user.id) return { workflow, standing: 'owner' };
  const standing = workflow === null ? null : await standingOf(store, user, workflow);
  if (workflow === null || standing === null) throw workflowNotFound();
  return { workflow, standing };
}

/** True if this user may read the workflow with this id, for workflows that another one refers to. */
export async function maySee(store: AccessStore, user: User, workflowId: number): Promise<boolean> {
  const workflow = await store.workflows.byId(workflowId);
  return workflow !== null && (await standingOf(store, user, workflow)) !== null;
}

/** The error for a workflow that does not exist, or that the caller may not see. */
export function workflowNotFound(): Problem {
  return new Problem('not_found', 'Workflow not found.');
}

/** The error for a reader who tries to change a workflow. */
export function readOnly(): Problem {
  return new Problem('read_only', 'You have read-only access to this workflow.');
}

/** The error for an editor who tries an action of the owner. */
export function ownerOnly(): Problem {
  return new Problem('owner_only', 'Only the owner of this workflow may do this.');
}
