import { type Collaborator, type CollaboratorRole, Problem, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';

/** The collaborators of a workflow. The caller's access was checked when the workflow was loaded. */
export interface Collaborators {
  list(workflow: Workflow): Promise<readonly Collaborator[]>;
  /** @throws Problem `not_found` if no collaborator has this name */
  find(workflow: Workflow, username: string): Promise<Collaborator>;
  /**
   * @throws Problem `invalid` if the user does not exist or owns the workflow, `conflict` if they already collaborate
   */
  add(
    workflow: Workflow,
    invitation: { readonly username: string; readonly role: CollaboratorRole },
  ): Promise<Collaborator>;
  /** @throws Problem `not_found` if the collaborator was removed meanwhile */
  change(workflow: Workflow, collaborator: Collaborator, role: CollaboratorRole): Promise<Collaborator>;
  remove(workflow: Workflow, collaborator: Collaborator): Promise<void>;
}

interface CollaboratorsPorts {
  readonly store: Pick<Store, 'collaborators' | 'users'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createCollaborators({ store, clock }: CollaboratorsPorts): Collaborators {
  const { collaborators, users } = store;
  return {
    list: ({ id }) => collaborators.listOf(id),
    async find({ id }, username) {
      const user = await users.byUsername(username);
      const all = user === null ? [] : await collaborators.listOf(id);
      const found = all.find(({ userId }) => userId === user?.id);
      if (found === undefined) throw notFound();
      return found;
    },
    async add(workflow, { username, role }) {
      const user = await users.byUsername(username);
      if (user === null) throw invalidName('is not the name of a user');
      if (user.id === workflow.ownerId) throw invalidName('owns this workflow');
      const params = { workflowId: workflow.id, userId: user.id, role, at: clock.now() };
      const added = await collaborators.insert(params);
      if (added === null) throw new Problem('conflict', `'${user.username}' is already a collaborator.`);
      return added;
    },
    async change(workflow, { userId }, role) {
      const changed = await collaborators.update({ workflowId: workflow.id, userId, role });
      if (changed === null) throw notFound();
      return changed;
    },
    async remove(workflow, { userId }) {
      if (!(await collaborators.remove({ workflowId: workflow.id, userId }))) throw notFound();
    },
  };
}

function notFound(): Problem {
  return new Problem('not_found', 'Collaborator not found.');
}

function invalidName(msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', 'username'], msg }]);
}
