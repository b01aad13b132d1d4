import type { ExecutionStatus } from '@millrace/core';
import { formatInstant } from '@millrace/core';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { ExecutionFilter } from '../executions.ts';
import type { Bit } from './columns.ts';
import { executionColumns } from './execution-row.ts';

/** A query ready for the connection. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A filter of the runs of one owner: of all their workflows, or of the one that it names. */
export type OwnedFilter = Omit<ExecutionFilter, 'visibleTo'> & { readonly ownerId: number };

/** A place in the order of lists, newest first. */
export interface Place {
  readonly acceptedAt: string;
  readonly id: string;
}

/** One page of the runs that pass a filter without text. */
export function pageQuery(filter: OwnedFilter): Query {
  return filtered(filter)
    .innerJoin('workflows as w', 'w.id', 'e.workflow_id')
    .select(executionColumns)
    .orderBy('e.accepted_at', 'desc')
    .orderBy('e.id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .compile();
}

/** The places of the next runs behind one that pass all but the text: so many of them, or all. */
export function placesQuery(filter: OwnedFilter, after: Place | null, limit: number | 'all'): Query {
  let query = filtered(filter);
  if (after !== null) query = query.where(sql<boolean>`(e.accepted_at, e.id) < (${after.acceptedAt}, ${after.id})`);
  if (limit !== 'all') query = query.limit(limit);
  return query
    .select(['e.id', 'e.accepted_at as acceptedAt'])
    .orderBy('e.accepted_at', 'desc')
    .orderBy('e.id', 'desc')
    .compile();
}

/** Whether SQLite sorts the runs of a filter itself: the indexes of open runs have the order in which they are claimed. */
export function isSorted(status: ExecutionStatus | undefined): boolean {
  return status === 'pending' || status === 'running';
}

/** One row with `hit` 1 if a run holds a text, 0 if not; none if the run is gone. Its id is one more parameter, the last. */
export function searchQuery(q: string): Query {
  return builder.selectFrom('executions as e').select(holds(q).as('hit')).where(sql<boolean>`e.id = ?`).compile();
}

/** The name under which `contains` is known to SQL. */
export const containsFunction = 'contains_text';

/** Whether one text holds another, in any case of any script; `needle` comes in lower case. */
export function contains(text: unknown, needle: unknown): number {
  return typeof text === 'string' && typeof needle === 'string' && text.toLowerCase().includes(needle) ? 1 : 0;
}

interface Tables {
  executions: {
    id: string;
    workflow_id: number;
    owner_id: number;
    version: number;
    trigger_node_id: string;
    parent_execution_id: string | null;
    replay_of: string | null;
    is_manual: Bit;
    status: ExecutionStatus;
    error_code: string | null;
    error_message: string | null;
    accepted_at: string;
    started_at: string | null;
    first_started_at: string | null;
    completed_at: string | null;
    llm_calls: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
  };
  workflows: { id: number; slug: string };
}

/** Kysely only writes the SQL; our connection runs it. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/**
 * The runs that pass all but the text. Which index serves is decided here: a unary plus hides a column from SQLite's
 * planner, which has no statistics and would else walk a long history for a handful of rows. An open status uses its
 * index of open runs, a parked one the owner's parked runs, a workflow the index of that workflow, and only then the owner's.
 */
function filtered({ ownerId, workflowId, status, since, until }: OwnedFilter) {
  const isOpen = isSorted(status);
  const isParked = status === 'waiting' || status === 'interrupted';
  const owner =
    isOpen || (workflowId !== undefined && !isParked) ? sql<number>`+e.owner_id` : sql.ref<number>('e.owner_id');
  const workflow = isOpen || isParked ? sql<number>`+e.workflow_id` : sql.ref<number>('e.workflow_id');
  let query = builder.selectFrom('executions as e').where(owner, '=', ownerId);
  if (workflowId !== undefined) query = query.where(workflow, '=', workflowId);
  // Written out, not bound: only so can SQLite see that a partial index holds all rows of this status.
  if (status !== undefined) query = query.where('e.status', '=', sql.lit(status));
  if (since !== undefined) query = query.where('e.accepted_at', '>=', formatInstant(since));
  if (until !== undefined) query = query.where('e.accepted_at', '<=', formatInstant(until));
  return query;
}

/** Columns of JSON hold a text with JSON's escapes, so it is searched for with them. */
function holds(q: string) {
  const inJson = JSON.stringify(q).slice(1, -1);
  return sql<number>`(
    ${matches('e.error_message', q)}
    OR EXISTS (SELECT 1 FROM triggers AS t WHERE t.execution_id = e.id
      AND (${matches('t.payload', inJson)} OR ${matches('t.text', q)}))
    OR EXISTS (SELECT 1 FROM journal AS j WHERE j.execution_id = e.id AND ${matches('j.data', inJson)})
  )`;
}

/** LIKE knows the two cases of ASCII letters only; other texts go through our own function, several times slower. */
function matches(column: string, text: string) {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  if (!isAscii) return sql`${sql.raw(containsFunction)}(${sql.ref(column)}, ${text.toLowerCase()})`;
  const pattern = `%${text.replace(/[!%_]/g, (sign) => `!${sign}`)}%`;
  return sql`coalesce(${sql.ref(column)} LIKE ${pattern} ESCAPE '!', 0)`;
}
