import { Problem, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { TrashedWorkflow } from '../../store/workflows.ts';
import { workflowNotFound } from '../access/access.ts';

/** The deleted workflows of a user. Only the owner sees them; collaborators see them again after they are restored. */
export interface Trash {
  /** The last deleted first. */
  list(user: User, page: { readonly limit: number; readonly offset: number }): Promise<Page<TrashedWorkflow>>;
  /** @throws Problem `not_found` */
  find(user: User, id: number | null): Promise<TrashedWorkflow>;
  /** With another slug, if one is given. @throws Problem `conflict` if the slug is taken */
  restore(workflow: TrashedWorkflow, slug?: string): Promise<Workflow>;
  /** Deletes it permanently, with its executions and versions. */
  purge(workflow: TrashedWorkflow): Promise<void>;
}

interface TrashPorts {
  readonly store: Pick<Store, 'trash'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Executions deleted in one transaction, which takes some 10 ms and blocks every other request. */
const runsAtOnce = 200;

export function createTrash({ store, clock }: TrashPorts): Trash {
  return {
    list: (user, page) => store.trash.list({ ownerId: user.id, ...page }),
    async find(user, id) {
      const found = id === null ? null : await store.trash.find({ ownerId: user.id, id });
      if (found === null) throw workflowNotFound();
      return found;
    },
    async restore({ id, slug: oldSlug }, slug = oldSlug) {
      const workflow = await store.trash.restore({ id, slug, at: clock.now() });
      if (workflow === 'missing') throw workflowNotFound();
      if (workflow !== 'slug_taken') return workflow;
      throw new Problem(
        'conflict',
        `Workflow with slug '${slug}' already exists. Restore this one under another \`slug\`.`,
      );
    },
    async purge({ id }) {
      while ((await store.trash.purge({ id, runs: runsAtOnce, at: clock.now() })) === 'more');
    },
  };
}
