import {
  type Budget,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  parseInstant,
  type Workflow,
  workflowFields,
} from '@millrace/core';
import type { WorkflowFields } from '../../workflows.ts';
import { type Bit, jsonOrNull, readJson, toBit } from '../database/columns.ts';

/** The columns of `workflows` that a caller sees. */
export interface WorkflowRow {
  readonly id: number;
  readonly owner_id: number;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly is_active: Bit;
  readonly is_public: Bit;
  readonly is_default: Bit;
  readonly mcp: Bit;
  readonly tags: string | null;
  readonly error_handler_workflow_id: number | null;
  readonly input_schema: string | null;
  readonly output_schema: string | null;
  readonly node_count: number;
  readonly edge_count: number;
  readonly version: number;
  readonly published_version: number | null;
  readonly max_execution_seconds: number;
  readonly concurrency: number | null;
  readonly concurrency_key: string | null;
  readonly budget: string | null;
  readonly priority: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The column names for SELECT and RETURNING. */
export const workflowColumns =
  'id, owner_id, name, slug, description, is_active, is_public, is_default, mcp, tags, error_handler_workflow_id, ' +
  'input_schema, output_schema, node_count, edge_count, version, published_version, max_execution_seconds, concurrency, ' +
  'concurrency_key, budget, priority, created_at, updated_at';

/** Replaces a damaged schema. It accepts nothing: no payload passes a check that is impossible. */
const unreadableSchema: JsonObject = {
  not: {},
  $comment: 'The stored schema is damaged and cannot be shown: enter it again.',
};

/** Replaces a damaged budget: no limit would cost money, so it is spent after the first call. */
const unreadableBudget: Budget = { tokens: 1, usd: null, period: 'month' };

function isTexts(value: Json): value is readonly string[] {
  return isArray(value) && value.every((tag) => typeof tag === 'string');
}

/** The budget of a row. */
export function toBudget(text: string | null): Budget | null {
  const value = readJson(text, isObject, unreadableBudget);
  if (value === null) return null;
  const parsed = workflowFields.budget.safeParse(value);
  return parsed.success ? parsed.data : unreadableBudget;
}

/** Converts a row to a workflow, without its damaged parts: one row does not prevent a list from being shown. */
export function toWorkflow(row: WorkflowRow): Workflow {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    isActive: row.is_active === 1,
    isPublic: row.is_public === 1,
    isDefault: row.is_default === 1,
    mcp: row.mcp === 1,
    tags: readJson(row.tags, isTexts, []),
    errorHandlerWorkflowId: row.error_handler_workflow_id,
    inputSchema: readJson(row.input_schema, isObject, unreadableSchema),
    outputSchema: readJson(row.output_schema, isObject, unreadableSchema),
    nodeCount: row.node_count,
    edgeCount: row.edge_count,
    version: row.version,
    publishedVersion: row.published_version,
    maxExecutionSeconds: row.max_execution_seconds,
    concurrency: row.concurrency,
    concurrencyKey: row.concurrency_key,
    budget: toBudget(row.budget),
    priority: row.priority,
    createdAt: parseInstant(row.created_at),
    updatedAt: parseInstant(row.updated_at),
  };
}

/** The columns that a caller sets, in the order of `fieldParams`. */
export const fieldColumns = [
  'name',
  'slug',
  'description',
  'is_active',
  'is_public',
  'is_default',
  'mcp',
  'tags',
  'error_handler_workflow_id',
  'input_schema',
  'output_schema',
  'max_execution_seconds',
  'concurrency',
  'concurrency_key',
  'budget',
  'priority',
] as const;

/** A workflow's columns as parameters. */
export type FieldParams = ReturnType<typeof fieldParams>;

/** What a caller sets of a workflow, as parameters in the order of `fieldColumns`. */
export function fieldParams(fields: WorkflowFields) {
  return [
    fields.name,
    fields.slug,
    fields.description,
    toBit(fields.isActive),
    toBit(fields.isPublic),
    toBit(fields.isDefault),
    toBit(fields.mcp),
    jsonOrNull(fields.tags),
    fields.errorHandlerWorkflowId,
    jsonOrNull(fields.inputSchema),
    jsonOrNull(fields.outputSchema),
    fields.maxExecutionSeconds,
    fields.concurrency,
    fields.concurrencyKey,
    jsonOrNull(fields.budget),
    fields.priority,
  ] satisfies unknown[];
}
