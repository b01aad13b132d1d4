import type { Instant, Workflow } from '@millrace/core';
import type { GraphChange, GraphStore, SavedGraph } from './graphs.ts';
import type { Page } from './page.ts';

/** Workflows without their graphs. */
export interface WorkflowStore {
  insert(params: NewWorkflow): Promise<Workflow | 'slug_taken'>;
  /** Live workflows only, here and below: a soft-deleted one does not exist for any reader. */
  bySlug(slug: string): Promise<Workflow | null>;
  byId(id: number): Promise<Workflow | null>;
  /** The owner's default: the one that messages go to which name none. */
  defaultOf(ownerId: number): Promise<Workflow | null>;
  /** Owned by the user or shared with them, newest first. */
  list(params: { visibleTo: number; limit: number; offset: number }): Promise<Page<Workflow>>;
  /** Publishes `workflow_updated`. Making one the default ends that of the owner's other. */
  update(params: { id: number; changes: WorkflowChanges; at: Instant }): Promise<Workflow | 'slug_taken' | 'missing'>;
  /**
   * Changes its own fields and its graph in one transaction, as `update` and a save of the graph do; 'stale' where the
   * graph is not at `baseVersion` any more, and then nothing. Without changes of the graph there is no new version.
   */
  rewrite(params: Rewrite): Promise<SavedGraph | 'stale'>;
  /**
   * Makes a stored version the published one: its graph is pinned, and the workflow's schedules become those of that
   * version. Publishes `workflow_updated`. `updatedAt` moves when another version was published before.
   */
  publish(params: Publishing & { id: number; version: number; at: Instant }): Promise<Workflow | PublishFailure>;
  /** Makes the workflow live: its schedules become those of the newest version. Publishes `workflow_updated`. */
  unpublish(params: { id: number; at: Instant }): Promise<Workflow | 'missing'>;
  /** Soft-deletes; pending runs become cancelled, running ones are asked to stop. Unknown ids are ignored. */
  remove(params: { ids: readonly number[]; at: Instant }): Promise<void>;
}

/** The fields that a caller may set. */
export type WorkflowFields = Omit<
  Workflow,
  'id' | 'ownerId' | 'nodeCount' | 'edgeCount' | 'version' | 'publishedVersion' | 'createdAt' | 'updatedAt'
>;

/** Who publishes, and what they note. */
export interface Publishing {
  readonly authorId: number | null;
  readonly note: string | null;
}

/** Why nothing was published: the workflow, or this version of it, is not stored. */
export type PublishFailure = 'missing' | 'unknown_version';

/** Some of the fields that a caller may set. */
export type WorkflowChanges = Partial<WorkflowFields>;

type GraphSave = Parameters<GraphStore['save']>[0];

/** What a workflow becomes. A name that others may have taken is not among it. */
export interface Rewrite extends GraphSave {
  readonly fields?: Omit<WorkflowChanges, 'slug'>;
  /** Publishes the version that the rewrite makes, in the same transaction. */
  readonly publish?: Publishing;
}

/** A workflow to be stored. */
export interface NewWorkflow extends WorkflowFields {
  readonly ownerId: number;
  /** Its first graph, saved in the same transaction, as its second version: the first is the empty one. */
  readonly changes?: readonly GraphChange[];
  /** Publishes its first graph, in the same transaction. */
  readonly publish?: Publishing;
  readonly at: Instant;
}

/** Workflows that were removed, with all they had. */
export interface TrashStore {
  /** The owner's, the last one removed first. */
  list(params: { ownerId: number; limit: number; offset: number }): Promise<Page<TrashedWorkflow>>;
  find(params: { ownerId: number; id: number }): Promise<TrashedWorkflow | null>;
  /**
   * Makes it live again, under the given slug. It stays the owner's default only where there is no other by now.
   * Publishes `workflow_updated`.
   */
  restore(params: { id: number; slug: string; at: Instant }): Promise<Workflow | 'slug_taken' | 'missing'>;
  /**
   * Deletes at most `runs` of its ended executions for good and says 'more'; when none is left, ends those that are open,
   * as a cancel does but without waiting for their owners, and says 'more'; then deletes the workflow with the rest of what
   * it had. A crash in between leaves it in the trash.
   */
  purge(params: { id: number; runs: number; at: Instant }): Promise<'purged' | 'more' | 'missing'>;
}

/** A workflow in the trash. */
export interface TrashedWorkflow extends Workflow {
  readonly deletedAt: Instant;
}
