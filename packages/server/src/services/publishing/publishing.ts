import { type GraphIssue, isError, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import { workflowNotFound } from '../access/access.ts';
import type { Validation } from '../validation/validation.ts';
import { type Versions, versionNotFound } from '../workflows/versions.ts';

/** Which version triggers run: the published one, or the newest of a workflow that is live. */
export interface Publishing {
  /**
   * Makes a stored version the published one. One with errors is refused, unless that is forced.
   * @throws Problem `not_found` when the workflow has no such version
   */
  publish(user: User, workflow: Workflow, request: PublishRequest): Promise<Published | RejectedPublication>;
  /** Makes the workflow live again. @throws Problem `not_found` when it was deleted meanwhile */
  unpublish(workflow: Workflow): Promise<Workflow>;
}

/** What to publish. */
export interface PublishRequest {
  /** Null for the newest. */
  readonly version: number | null;
  readonly note: string | null;
  /** Publishes a version with errors, too. */
  readonly force: boolean;
}

/** The workflow as it is after its publication. */
interface Published {
  readonly kind: 'published';
  readonly workflow: Workflow;
}

/** A version that has errors: nothing changed. */
export interface RejectedPublication {
  readonly kind: 'rejected';
  readonly version: number;
  /** The errors, and the warnings beside them. */
  readonly issues: readonly GraphIssue[];
}

interface PublishingPorts {
  readonly store: Pick<Store, 'workflows'>;
  readonly versions: Pick<Versions, 'find'>;
  readonly validation: Pick<Validation, 'checkGraph'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createPublishing({ store, versions, validation, clock }: PublishingPorts): Publishing {
  return {
    async publish(user, workflow, { version: wanted, note, force }) {
      const version = wanted ?? workflow.version;
      const { graph } = await versions.find(workflow, version);
      if (!force) {
        const issues = await validation.checkGraph(user, workflow, graph);
        if (issues.some(isError)) return { kind: 'rejected', version, issues };
      }
      const params = { id: workflow.id, version, authorId: user.id, note, at: clock.now() };
      const published = await store.workflows.publish(params);
      if (published === 'missing') throw workflowNotFound();
      // It was pruned a moment ago.
      if (published === 'unknown_version') throw versionNotFound();
      return { kind: 'published', workflow: published };
    },
    async unpublish({ id }) {
      const workflow = await store.workflows.unpublish({ id, at: clock.now() });
      if (workflow === 'missing') throw workflowNotFound();
      return workflow;
    },
  };
}
