import type { User, Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { WorkflowActivity } from '../../store/workflows.ts';

/** What the workflows of a user, and those that are shared with them, did lately. */
export interface WorkflowActivities {
  /** In the order of the list of workflows. */
  list(user: User, page: { readonly limit: number; readonly offset: number }): Promise<Page<ListedActivity>>;
}

/** The activity of a workflow with the workflow. */
export interface ListedActivity extends WorkflowActivity {
  readonly workflow: Workflow;
}

interface ActivitiesPorts {
  readonly store: Pick<Store, 'workflows'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The current hour and the 23 before it. */
const shownMs = 23 * 3_600_000;

export function createWorkflowActivities({ store, clock }: ActivitiesPorts): WorkflowActivities {
  return {
    async list(user, page) {
      const { items, total } = await store.workflows.list({ visibleTo: user.id, ...page });
      const workflowIds = items.map(({ id }) => id);
      const activities = await store.workflows.activity({ workflowIds, since: clock.now() - shownMs });
      const byId = new Map(activities.map((activity) => [activity.workflowId, activity]));
      const found = items.flatMap((workflow) => {
        const activity = byId.get(workflow.id);
        return activity === undefined ? [] : [{ ...activity, workflow }];
      });
      return { items: found, total };
    },
  };
}
