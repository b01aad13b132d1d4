import type { Budget, ExecutionStatus, Instant, Workflow } from '@millrace/core';
import type { GraphChange, GraphStore, SavedGraph } from './graphs.ts';
import type { Page } from './page.ts';

/** Workflows without their graphs. */
export interface WorkflowStore {
  insert(params: NewWorkflow): Promise<Workflow | 'slug_taken'>;
  /** Here and below, live workflows only: a soft-deleted one does not exist for readers. */
  bySlug(slug: string): Promise<Workflow | null>;
  byId(id: number): Promise<Workflow | null>;
  /** What the models of the workflow may use; null for no limit. */
  budgetOf(id: number): Promise<Budget | null>;
  /** The owner's default: the workflow for messages that name none. */
  defaultOf(ownerId: number): Promise<Workflow | null>;
  /** Owned by the user or shared with them, newest first. */
  list(params: { visibleTo: number; limit: number; offset: number }): Promise<Page<Workflow>>;
  /**
   * The active workflows that MCP clients of this user may call as tools: those with `mcp` that the user owns or edits,
   * in the order of their ids, after the given id.
   */
  tools(params: { editableBy: number; after: number; limit: number }): Promise<readonly Workflow[]>;
  /** In the order of the ids. `hours` begins with the hour that contains `since`, which is at most a day ago. */
  activity(params: { workflowIds: readonly number[]; since: Instant }): Promise<readonly WorkflowActivity[]>;
  /** Publishes `workflow_updated`. Setting the default clears the flag of the owner's previous default. */
  update(params: { id: number; changes: WorkflowChanges; at: Instant }): Promise<Workflow | 'slug_taken' | 'missing'>;
  /**
   * Changes its own fields and its graph in one transaction, like `update` and a save of the graph. 'stale' if the
   * graph is no longer at `baseVersion`; nothing is changed then. Without graph changes there is no new version.
   */
  rewrite(params: Rewrite): Promise<SavedGraph | 'stale'>;
  /**
   * Makes a stored version the published one: its graph is pinned, and the workflow's schedules become those of that
   * version. Publishes `workflow_updated`. `updatedAt` changes if another version was published before.
   */
  publish(params: Publishing & { id: number; version: number; at: Instant }): Promise<Workflow | PublishFailure>;
  /** Makes the workflow live: its schedules become those of the newest version. Publishes `workflow_updated`. */
  unpublish(params: { id: number; at: Instant }): Promise<Workflow | 'missing'>;
  /** Soft-deletes; pending runs become cancelled, running ones are asked to stop. Unknown ids are ignored. */
  remove(params: { ids: readonly number[]; at: Instant }): Promise<void>;
}

/** What a workflow did lately, and when it starts next. */
export interface WorkflowActivity {
  readonly workflowId: number;
  readonly lastExecution: LastExecution | null;
  readonly lastFailedExecutionId: string | null;
  /** Oldest first, without the hours in which no execution ended. */
  readonly hours: readonly HourOfEnds[];
  /** The component types of the triggers in the newest version. */
  readonly triggerTypes: readonly string[];
  /** When the next of its schedules fires. */
  readonly nextFireAt: Instant | null;
}

/** The newest execution of a workflow. */
export interface LastExecution {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly acceptedAt: Instant;
  readonly completedAt: Instant | null;
}

/** How many executions of a workflow ended in one hour. */
export interface HourOfEnds {
  readonly startsAt: Instant;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** The fields that a caller may set. */
export type WorkflowFields = Omit<
  Workflow,
  'id' | 'ownerId' | 'nodeCount' | 'edgeCount' | 'version' | 'publishedVersion' | 'createdAt' | 'updatedAt'
>;

/** Who publishes, and with which note. */
export interface Publishing {
  readonly authorId: number | null;
  readonly note: string | null;
}

/** Why nothing was published: the workflow, or this version of it, is not stored. */
export type PublishFailure = 'missing' | 'unknown_version';

/** Some of the fields that a caller may set. */
export type WorkflowChanges = Partial<WorkflowFields>;

type GraphSave = Parameters<GraphStore['save']>[0];

/** The new content of a workflow. It does not include a name that other workflows may already use. */
export interface Rewrite extends GraphSave {
  readonly fields?: Omit<WorkflowChanges, 'slug'>;
  /** Publishes the version that the rewrite creates, in the same transaction. */
  readonly publish?: Publishing;
}

/** A workflow to be stored. */
export interface NewWorkflow extends WorkflowFields {
  readonly ownerId: number;
  /** Its first graph, saved in the same transaction as the second version; the first version is empty. */
  readonly changes?: readonly GraphChange[];
  /** Publishes its first graph, in the same transaction. */
  readonly publish?: Publishing;
  readonly at: Instant;
}

/** Deleted workflows with all their data. */
export interface TrashStore {
  /** The owner's deleted workflows, the last deleted first. */
  list(params: { ownerId: number; limit: number; offset: number }): Promise<Page<TrashedWorkflow>>;
  find(params: { ownerId: number; id: number }): Promise<TrashedWorkflow | null>;
  /**
   * Makes it live again, under the given slug. It stays the owner's default only if there is no other default now.
   * Publishes `workflow_updated`.
   */
  restore(params: { id: number; slug: string; at: Instant }): Promise<Workflow | 'slug_taken' | 'missing'>;
  /**
   * Permanently deletes at most `runs` of its executions and returns 'more'. Those that are open end first, like a cancel
   * but without waiting for their owners; the next call deletes them. If none is left, deletes the workflow with the
   * rest of its data. A crash in between leaves it in the trash.
   */
  purge(params: { id: number; runs: number; at: Instant }): Promise<'purged' | 'more' | 'missing'>;
  /** Ends the open runs of workflows in the trash, which are left if the end of a process has interrupted a deletion. */
  finishRemovals(params: { at: Instant }): Promise<void>;
}

/** A workflow in the trash. */
export interface TrashedWorkflow extends Workflow {
  readonly deletedAt: Instant;
}
