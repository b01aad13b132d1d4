import { Problem, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { TrashedWorkflow } from '../../store/workflows.ts';
import { workflowNotFound } from '../access/access.ts';

/** The workflows that a user has deleted. Only the owner has them: who shared them, shares them again once restored. */
export interface Trash {
  /** The last one deleted first. */
  list(user: User, page: { readonly limit: number; readonly offset: number }): Promise<Page<TrashedWorkflow>>;
  /** @throws Problem `not_found` */
  find(user: User, id: number | null): Promise<TrashedWorkflow>;
  /** Under another slug, if one is given. @throws Problem `conflict` when the slug is taken */
  restore(workflow: TrashedWorkflow, slug?: string): Promise<Workflow>;
  /** Deletes it for good, with its executions and versions. */
  purge(workflow: TrashedWorkflow): Promise<void>;
}

interface TrashPorts {
  readonly store: Pick<Store, 'trash'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** How many executions are deleted in one go: some 10 ms, in which every other request waits. */
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
