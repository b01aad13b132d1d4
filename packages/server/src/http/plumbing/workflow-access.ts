import type { Workflow } from '@millrace/core';
import {
  loadOwnWorkflow,
  loadSharedWorkflow,
  loadWorkflow,
  loadWritableWorkflow,
} from '../../services/access/access.ts';
import type { Caller } from './route.ts';

type Params = Readonly<Record<string, string>>;
type LoadWorkflow = (caller: Caller, params: Params) => Promise<Workflow>;

/** Finds the workflow of the path parameter `:slug` and checks the caller's permission. */
export interface WorkflowAccess {
  /** Rejects with Problem `not_found`. */
  readonly forReading: LoadWorkflow;
  /** Rejects with Problem `not_found`, or `read_only` for a caller with read-only access. */
  readonly forWriting: LoadWorkflow;
  /** The same, and `owner_only` for an editor. */
  readonly forOwning: LoadWorkflow;
  /**
   * Rejects with Problem `not_found`, or `members_only` for a caller who can read the workflow only because it is
   * public.
   */
  readonly forMembers: LoadWorkflow;
}

export function workflowAccess(store: Parameters<typeof loadWorkflow>[0]): WorkflowAccess {
  return {
    forReading: ({ user }, { slug = '' }) => loadWorkflow(store, user, slug),
    forWriting: ({ user }, { slug = '' }) => loadWritableWorkflow(store, user, slug),
    forOwning: ({ user }, { slug = '' }) => loadOwnWorkflow(store, user, slug),
    forMembers: ({ user }, { slug = '' }) => loadSharedWorkflow(store, user, slug),
  };
}
