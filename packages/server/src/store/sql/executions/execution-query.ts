import type { ExecutionStatus } from '@millrace/core';
import { formatInstant } from '@millrace/core';
import type { ExecutionFilter } from '../../executions.ts';
import type { OpenStatus } from '../queue/counts.ts';
import { executionColumns } from './execution-row.ts';

/** A query ready for the connection, or a part of one: its text, and its parameters in order. */
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

/** A place with the status that its run has there. */
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

/** The places of the next runs behind one that pass all but the text: so many of them, or all. */
export function placesQuery(filter: OwnedFilter, after: Place | null, limit: number | 'all'): Query {
  return columnsAt('e.id, e.accepted_at AS acceptedAt', filter, { after, limit });
}

/**
 * The next runs behind one that pass all but the text and the status: as many as are to be looked at, whatever their
 * status. Asked for those of one status, SQLite would look for them through all the others without a pause.
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

/** Whether runs of this status are found by an index of open runs, in the order in which they are claimed, and so sorted. */
export function isOpenStatus(status: ExecutionStatus | undefined): status is OpenStatus {
  return status === 'pending' || status === 'running';
}

/** One row with `hit` 1 if a run holds a text, 0 if not; none if the run is gone. Its id is one more parameter, the last. */
export function searchQuery(q: string): Query {
  const { sql, parameters } = holds(q);
  return { sql: `SELECT ${sql} AS hit FROM executions AS e WHERE e.id = ?`, parameters };
}

/** The name under which `contains` is known to SQL. */
export const containsFunction = 'contains_text';

/** Whether one text holds another, in any case of any script; `needle` comes in lower case. */
export function contains(text: unknown, needle: unknown): number {
  return typeof text === 'string' && typeof needle === 'string' && text.toLowerCase().includes(needle) ? 1 : 0;
}

/**
 * The runs that pass all but the text. Which index serves is decided here: a unary plus hides a column from SQLite's
 * planner, which has no statistics and would else walk a long history for a handful of rows. An open status uses its
 * index of open runs, a parked one the owner's parked runs, a workflow the index of that workflow, and only then the owner's.
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
  // Written out, not bound: only so can SQLite see that a partial index holds all rows of this status.
  if (status !== undefined) also(`e.status = ${literal(status)}`);
  if (since !== undefined) also('e.accepted_at >= ?', formatInstant(since));
  if (until !== undefined) also('e.accepted_at <= ?', formatInstant(until));
  return { sql: conditions.join(' AND '), parameters };
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Columns of JSON hold a text with JSON's escapes, so it is searched for with them. */
function holds(q: string): Query {
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

/** LIKE knows the two cases of ASCII letters only; other texts go through our own function, several times slower. */
function matches(column: string, text: string): Query {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  if (!isAscii) return { sql: `${containsFunction}(${column}, ?)`, parameters: [text.toLowerCase()] };
  const pattern = `%${text.replace(/[!%_]/g, (sign) => `!${sign}`)}%`;
  return { sql: `coalesce(${column} LIKE ? ESCAPE '!', 0)`, parameters: [pattern] };
}
