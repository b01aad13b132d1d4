import { type GraphIssue, isError, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import { workflowNotFound } from '../access/access.ts';
import type { Validation } from '../validation/validation.ts';
import { type Versions, versionNotFound } from '../workflows/versions.ts';

/** Publishes versions of a workflow, and makes a workflow live again. */
export interface Publishing {
  /**
   * Publishes a stored version. A version with errors is rejected, unless `force` is set.
   * @throws Problem `not_found` if the workflow was deleted meanwhile or has no such version
   */
  publish(user: User, workflow: Workflow, request: PublishRequest): Promise<Publication | RejectedPublication>;
  /** Makes the workflow live again. @throws Problem `not_found` if it was deleted meanwhile */
  unpublish(workflow: Workflow): Promise<Workflow>;
}

/** The version to publish. */
export interface PublishRequest {
  /** Null for the newest. */
  readonly version: number | null;
  readonly note: string | null;
  /** Also publishes a version with errors. */
  readonly force: boolean;
}

/** The workflow after its publication. */
interface Publication {
  readonly kind: 'published';
  readonly workflow: Workflow;
}

/** A version with errors: nothing changed. */
export interface RejectedPublication {
  readonly kind: 'rejected';
  readonly version: number;
  /** All issues, so that the response also shows the warnings. */
  readonly issues: readonly GraphIssue[];
}

interface PublishingPorts {
  readonly store: Pick<Store, 'workflows'>;
  readonly versions: Pick<Versions, 'read'>;
  readonly validation: Pick<Validation, 'checkGraph'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createPublishing({ store, versions, validation, clock }: PublishingPorts): Publishing {
  return {
    async publish(user, workflow, { version: wanted, note, force }) {
      const version = wanted ?? workflow.version;
      const issues = await versions.read({ user }, { workflow, version }, async ({ graph }) =>
        force ? [] : validation.checkGraph(user, workflow, graph),
      );
      if (issues.some(isError)) return { kind: 'rejected', version, issues };
      const params = { id: workflow.id, version, authorId: user.id, note, at: clock.now() };
      const published = await store.workflows.publish(params);
      if (published === 'missing') throw workflowNotFound();
      // The version was deleted by the retention of versions meanwhile.
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
