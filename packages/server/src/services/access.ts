import { Problem, type User, type Workflow } from '@millrace/core';
import type { Store } from '../store/store.ts';

type Workflows = Pick<Store, 'workflows'>;

/** What a user may do with a workflow. */
type Access = 'write' | 'read' | 'none';

/**
 * The one place that says who may what. Collaborators will be looked up here: an editor writes, a viewer reads.
 * An admin manages users, not their workflows, so `isAdmin` gives nothing here.
 */
function accessOf(user: User, workflow: Workflow): Access {
  if (workflow.ownerId === user.id) return 'write';
  return workflow.isPublic ? 'read' : 'none';
}

/** Whether this user may read a workflow that is at hand. */
export function mayRead(user: User, workflow: Workflow): boolean {
  return accessOf(user, workflow) !== 'none';
}

/** The workflow of a slug, if this user may read it. @throws Problem `not_found`, the same for missing and foreign */
export async function loadWorkflow(store: Workflows, user: User, slug: string): Promise<Workflow> {
  const workflow = await store.workflows.bySlug(slug);
  if (workflow === null || accessOf(user, workflow) === 'none') throw workflowNotFound();
  return workflow;
}

/** The workflow of a slug, if this user may change it. @throws Problem `not_found`, or `read_only` for a reader */
export async function loadWritableWorkflow(store: Workflows, user: User, slug: string): Promise<Workflow> {
  const workflow = await loadWorkflow(store, user, slug);
  if (accessOf(user, workflow) === 'write') return workflow;
  throw new Problem('read_only', 'You have read-only access to this workflow.');
}

/** Whether this user may read the workflow with this id: for workflows that another one names. */
export async function maySee(store: Workflows, user: User, workflowId: number): Promise<boolean> {
  const workflow = await store.workflows.byId(workflowId);
  return workflow !== null && accessOf(user, workflow) !== 'none';
}

/** The answer for a workflow that does not exist, or not for this caller. */
export function workflowNotFound(): Problem {
  return new Problem('not_found', 'Workflow not found.');
}
