import { type CollaboratorRole, Problem, type User, type Workflow } from '@millrace/core';
import type { Store } from '../../store/store.ts';

/** What decisions about access read. */
export type AccessStore = Pick<Store, 'workflows' | 'collaborators'>;

/** What a user is to a workflow; a guest is anybody, where the workflow is public. */
export type Standing = 'owner' | CollaboratorRole | 'public';

/**
 * The one place that says who may what: the owner everything, an editor changes, a viewer and a guest read and run the
 * webhook, a guest without seeing executions. Null is a stranger, to whom the workflow does not exist. An admin manages
 * users, not their workflows, so `isAdmin` gives nothing here. An owner costs no look-up.
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

/** Whether somebody of this standing may see a workflow's executions, and with whom it is shared. */
export function isMember(standing: Standing | null): boolean {
  return standing !== null && standing !== 'public';
}

/** Whether somebody of this standing may change a workflow and steer its executions. */
export function mayWrite(standing: Standing | null): boolean {
  return standing === 'owner' || standing === 'editor';
}

/** The workflow of a slug, if this user may read it. @throws Problem `not_found`, the same for missing and foreign */
export async function loadWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const workflow = await store.workflows.bySlug(slug);
  if (workflow?.ownerId === user.id) return workflow;
  if (workflow === null || (await standingOf(store, user, workflow)) === null) throw workflowNotFound();
  return workflow;
}

/** The workflow of a slug, if this user may change it. @throws Problem `not_found`, or `read_only` for a reader */
export async function loadWritableWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const { workflow, standing } = await loadStanding(store, user, slug);
  if (!mayWrite(standing)) throw readOnly();
  return workflow;
}

/** The same for what is the owner's alone. @throws Problem `not_found`, `read_only`, or `owner_only` for an editor */
export async function loadOwnWorkflow(store: AccessStore, user: User, slug: string): Promise<Workflow> {
  const { workflow, standing } = await loadStanding(store, user, slug);
  if (standing === 'owner') return workflow;
  throw mayWrite(standing) ? ownerOnly() : readOnly();
}

/** The same for what is shown to its members. @throws Problem `not_found`, or `members_only` for a guest */
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

/** Whether this user may read the workflow with this id: for workflows that another one names. */
export async function maySee(store: AccessStore, user: User, workflowId: number): Promise<boolean> {
  const workflow = await store.workflows.byId(workflowId);
  return workflow !== null && (await standingOf(store, user, workflow)) !== null;
}

/** The answer for a workflow that does not exist, or not for this caller. */
export function workflowNotFound(): Problem {
  return new Problem('not_found', 'Workflow not found.');
}

/** The answer for who may read a workflow and tries to change it. */
export function readOnly(): Problem {
  return new Problem('read_only', 'You have read-only access to this workflow.');
}

/** The answer for an editor who tries what is the owner's. */
export function ownerOnly(): Problem {
  return new Problem('owner_only', 'Only the owner of this workflow may do this.');
}
