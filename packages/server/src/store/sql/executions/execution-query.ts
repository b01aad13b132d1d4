import type { ExecutionStatus } from '@millrace/core';
import { formatInstant, withoutLinkTokens } from '@millrace/core';
import type { ExecutionFilter } from '../../executions.ts';
import type { OpenStatus } from '../queue/counts.ts';
import { executionColumns } from './execution-row.ts';

/** A query for the connection, or a part of one: its text and its parameters in order. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A filter for the runs of one owner: of all their workflows, or of the given one. */
export type OwnedFilter = Omit<ExecutionFilter, 'visibleTo'> & {
  readonly ownerId: number;
  /** Whether the text is not searched in links to answer a step: else their tokens could be found out by searches. */
  readonly hidesLinks?: boolean;
};

/** A position in the order of lists, newest first. */
export interface Place {
  readonly acceptedAt: string;
  readonly id: string;
}

/** A position with the status of its run. */
export interface Look extends Place {
  readonly status: ExecutionStatus;
}

/** One page of the runs that pass a filter without text. */
export function pageQuery(filter: OwnedFilter): Query {
  const { sql, parameters } = filtered(filter);
  return {
    sql: `SELECT ${executionColumns.join(', ')}
      FROM executions AS e JOIN workflows AS w ON w.id = e.workflow_id
      WHERE ${sql} ${newestFirst} LIMIT ? OFFSET ?`,
    parameters: [...parameters, filter.limit, filter.offset],
  };
}

/** The positions of the next runs after a position that pass all filters but the text: up to `limit`, or all. */
export function placesQuery(filter: OwnedFilter, after: Place | null, limit: number | 'all'): Query {
  return columnsAt('e.id, e.accepted_at AS acceptedAt', filter, { after, limit });
}

/**
 * The next runs after a position that pass all filters but the text and the status: up to `limit`, of any status. In a
 * query for one status, SQLite would scan all the others without interruption.
 */
export function looksQuery({ status: _, ...filter }: OwnedFilter, after: Place | null, limit: number): Query {
  return columnsAt('e.id, e.accepted_at AS acceptedAt, e.status', filter, { after, limit });
}

function columnsAt(
  columns: string,
  filter: OwnedFilter,
  { after, limit }: { readonly after: Place | null; readonly limit: number | 'all' },
): Query {
  const { sql, parameters } = filtered(filter);
  const behind = after === null ? '' : 'AND (e.accepted_at, e.id) < (?, ?)';
  return {
    sql: `SELECT ${columns} FROM executions AS e
      WHERE ${sql} ${behind} ${newestFirst} ${limit === 'all' ? '' : 'LIMIT ?'}`,
    parameters: [
      ...parameters,
      ...(after === null ? [] : [after.acceptedAt, after.id]),
      ...(limit === 'all' ? [] : [limit]),
    ],
  };
}

const newestFirst = 'ORDER BY e.accepted_at DESC, e.id DESC';

/**
 * Whether runs of this status are found through an index of open runs, which is in claim order, so that they are
 * sorted.
 */
export function isOpenStatus(status: ExecutionStatus | undefined): status is OpenStatus {
  return status === 'pending' || status === 'running';
}

/**
 * One row with `hit` 1 if a run contains a text, 0 if not; no row if the run was deleted. Its id is one more parameter,
 * the last.
 */
export function searchQuery(q: string, hidesLinks: boolean): Query {
  const { sql, parameters } = holds(q, hidesLinks);
  return { sql: `SELECT ${sql} AS hit FROM executions AS e WHERE e.id = ?`, parameters };
}

/** The name of `contains` in SQL. */
export const containsFunction = 'contains_text';

/** The name of `containsBesideLinks` in SQL. */
export const containsBesideLinksFunction = 'contains_beside_links';

/** The same without the tokens of links to answer a step. */
export function containsBesideLinks(text: unknown, needle: unknown): number {
  return typeof text === 'string' ? contains(withoutLinkTokens(text), needle) : 0;
}

/** Whether one text contains another, case-insensitively in any script; `needle` must be in lower case. */
export function contains(text: unknown, needle: unknown): number {
  return typeof text === 'string' && typeof needle === 'string' && text.toLowerCase().includes(needle) ? 1 : 0;
}

/**
 * The runs that pass all filters but the text. The index is chosen here: a unary plus hides a column from SQLite's
 * planner, which has no statistics and would otherwise scan a long history for a few rows. An open status uses its
 * index of open runs, a parked one the owner's parked runs, a workflow the index of that workflow, and otherwise the
 * owner's index.
 */
function filtered({ ownerId, workflowId, status, since, until }: OwnedFilter): Query {
  const isOpen = isOpenStatus(status);
  const isParked = status === 'waiting' || status === 'interrupted';
  const hidesOwner = isOpen || (workflowId !== undefined && !isParked);
  const conditions = [`${hidesOwner ? '+' : ''}e.owner_id = ?`];
  const parameters: unknown[] = [ownerId];
  const also = (condition: string, ...given: readonly unknown[]): void => {
    conditions.push(condition);
    parameters.push(...given);
  };
  if (workflowId !== undefined) also(`${isOpen || isParked ? '+' : ''}e.workflow_id = ?`, workflowId);
  // Inlined, not bound: otherwise SQLite cannot see that a partial index contains all rows of this status.
  if (status !== undefined) also(`e.status = ${literal(status)}`);
  if (since !== undefined) also('e.accepted_at >= ?', formatInstant(since));
  if (until !== undefined) also('e.accepted_at <= ?', formatInstant(until));
  return { sql: conditions.join(' AND '), parameters };
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** JSON columns contain a text with JSON escapes, so the search text is escaped too. */
function holds(q: string, hidesLinks: boolean): Query {
  const matches = hidesLinks ? matchesBesideLinks : matchesAnywhere;
  const inJson = JSON.stringify(q).slice(1, -1);
  const [message, payload, text, data] = [
    matches('e.error_message', q),
    matches('t.payload', inJson),
    matches('t.text', q),
    matches('j.data', inJson),
  ] as const;
  return {
    sql: `(${message.sql}
      OR EXISTS (SELECT 1 FROM triggers AS t WHERE t.execution_id = e.id AND (${payload.sql} OR ${text.sql}))
      OR EXISTS (SELECT 1 FROM journal AS j WHERE j.execution_id = e.id AND ${data.sql}))`,
    parameters: [message, payload, text, data].flatMap(({ parameters }) => parameters),
  };
}

/**
 * Characters that LIKE searches for. For each position of a text, it compares up to all characters of the search text:
 * a megabyte that nearly matches everywhere takes 40 ms for 16 characters, and 400 ms for 200.
 */
const maxLikeLength = 16;

/**
 * LIKE ignores case for ASCII letters only. Other texts and long ones use our own function, which is four times slower
 * for small values, and takes at most about 12 ms for a megabyte.
 */
function matchesAnywhere(column: string, text: string): Query {
  const isForLike = text.length <= maxLikeLength && /^[\0-\x7f]*$/.test(text);
  if (!isForLike) return { sql: `${containsFunction}(${column}, ?)`, parameters: [text.toLowerCase()] };
  const pattern = `%${text.replace(/[!%_]/g, (sign) => `!${sign}`)}%`;
  return { sql: `coalesce(${column} LIKE ? ESCAPE '!', 0)`, parameters: [pattern] };
}

function matchesBesideLinks(column: string, text: string): Query {
  return { sql: `${containsBesideLinksFunction}(${column}, ?)`, parameters: [text.toLowerCase()] };
}
