import { emptyGraph, type Json, keyIssue, Problem, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { slices } from '../../ground/slices.ts';
import type { GraphChange } from '../../store/graphs.ts';
import type { Page } from '../../store/page.ts';
import type { WorkflowChanges, WorkflowFields } from '../../store/workflows.ts';
import { type AccessStore, maySee, ownerOnly, workflowNotFound } from '../access/access.ts';
import { checkGraphSize } from './graph-size.ts';

/** The workflows of a user, and those that are shared with them. */
export interface Workflows {
  /** Newest first. */
  list(user: User, page: { readonly limit: number; readonly offset: number }): Promise<Page<Workflow>>;
  /**
   * Stores it with its first graph, if given, in one transaction.
   * @throws Problem `invalid`, or `conflict` if the slug is taken
   */
  create(user: User, fields: WorkflowFields, first?: FirstGraph): Promise<Workflow>;
  /**
   * @throws Problem `invalid`, `conflict` if the slug is taken, or `owner_only` if an editor changes a field of the
   * owner
   */
  update(user: User, workflow: Workflow, changes: WorkflowChanges): Promise<Workflow>;
  /** The checks of `update`, without storing anything. @throws Problem `invalid` or `owner_only` */
  check(user: User, workflow: Workflow, changes: WorkflowChanges): Promise<void>;
  remove(workflow: Workflow): Promise<void>;
  /** Deletes this user's workflows; other slugs are ignored. */
  removeAll(user: User, slugs: readonly string[]): Promise<void>;
}

/** The graph of a new workflow. */
interface FirstGraph {
  readonly changes: readonly GraphChange[];
  /** Whether to publish it at once, by its creator. */
  readonly isPublished: boolean;
}

interface WorkflowsPorts {
  readonly store: AccessStore;
  readonly clock: Clock;
  /** Returns why a value cannot be used as a JSON Schema; null if it can. */
  readonly checkSchema: (schema: Json) => string | null;
}

export function createWorkflows(ports: WorkflowsPorts): Workflows {
  const { store, clock } = ports;
  return {
    list: (user, page) => store.workflows.list({ visibleTo: user.id, ...page }),
    async create(user, fields, { changes, isPublished } = emptyDraft) {
      await checkFields(ports, user, { fields, before: null });
      await slices.finish(checkGraphSize(emptyGraph, changes));
      const publish = isPublished ? { authorId: user.id, note: null } : undefined;
      const first = { changes, ...(publish && { publish }) };
      const workflow = await store.workflows.insert({ ...fields, ...first, ownerId: user.id, at: clock.now() });
      if (workflow === 'slug_taken') throw slugTaken(fields.slug);
      return workflow;
    },
    check: (user, before, changes) => checkChanges(ports, user, { before, changes }),
    async update(user, before, changes) {
      const { id, slug } = before;
      await checkChanges(ports, user, { before, changes });
      const workflow = await store.workflows.update({ id, changes, at: clock.now() });
      if (workflow === 'missing') throw workflowNotFound();
      if (workflow === 'slug_taken') throw slugTaken(changes.slug ?? slug);
      return workflow;
    },
    remove: ({ id }) => store.workflows.remove({ ids: [id], at: clock.now() }),
    async removeAll(user, slugs) {
      const found = await Promise.all([...new Set(slugs)].map((slug) => ownId(store, user, slug)));
      const ids = found.filter((id) => id !== null);
      if (ids.length > 0) await store.workflows.remove({ ids, at: clock.now() });
    },
  };
}

const emptyDraft: FirstGraph = { changes: [], isPublished: false };

/** An editor may send these back unchanged, but not change them. */
const ownerFields = ['slug', 'isPublic', 'isDefault'] as const;

async function ownId(store: WorkflowsPorts['store'], user: User, slug: string): Promise<number | null> {
  const workflow = await store.workflows.bySlug(slug);
  return workflow?.ownerId === user.id ? workflow.id : null;
}

async function checkChanges(
  ports: WorkflowsPorts,
  user: User,
  { before, changes }: { readonly before: Workflow; readonly changes: WorkflowChanges },
): Promise<void> {
  const isOwners = ownerFields.some((name) => changes[name] !== undefined && changes[name] !== before[name]);
  if (isOwners && before.ownerId !== user.id) throw ownerOnly();
  await checkFields(ports, user, { fields: changes, before });
}

/** The checks that a schema of the API cannot make. */
async function checkFields(
  ports: WorkflowsPorts,
  user: User,
  { fields, before }: { readonly fields: WorkflowChanges; readonly before: Workflow | null },
): Promise<void> {
  rejectSchema('input_schema', fields.inputSchema, ports);
  rejectSchema('output_schema', fields.outputSchema, ports);
  const issue = keyIssue(fields.concurrencyKey ?? '');
  if (issue !== null) throw invalid('concurrency_key', issue);
  const handler = fields.errorHandlerWorkflowId ?? null;
  // A stored value may be sent back unchanged, also by an editor who may not see that workflow.
  if (handler === null || handler === before?.errorHandlerWorkflowId || (await maySee(ports.store, user, handler)))
    return;
  throw invalid('error_handler_workflow_id', 'is not a workflow that you can see');
}

function rejectSchema(field: string, schema: Json | undefined, { checkSchema }: WorkflowsPorts): void {
  const reason = schema === undefined || schema === null ? null : checkSchema(schema);
  if (reason !== null) throw invalid(field, reason);
}

function invalid(field: string, msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', field], msg }]);
}

function slugTaken(slug: string): Problem {
  return new Problem('conflict', `Workflow with slug '${slug}' already exists.`);
}
