import { expect, test } from 'vitest';
import { Connection } from '../database/connection.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import {
  contains,
  containsFunction,
  looksQuery,
  type OwnedFilter,
  pageQuery,
  placesQuery,
  type Query,
} from './execution-query.ts';

const page = { ownerId: 1, limit: 50, offset: 0 };

/** How SQLite would find the runs: the line of the plan for `executions`, and whether it would sort them. */
function planOf({ sql, parameters }: Query): { index: string | undefined; sorts: boolean } {
  const connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  connection.define(containsFunction, contains);
  const lines = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters).map((row) => row.detail);
  connection.close();
  const line = lines.find((detail) => /^(SEARCH|SCAN) e /.test(detail));
  return {
    index: line?.match(/INDEX (\w+)/)?.[1],
    sorts: lines.some((detail) => detail.startsWith('USE TEMP B-TREE')),
  };
}

const filters: readonly [string, Partial<OwnedFilter>, string][] = [
  ['all', {}, 'executions_of_owner'],
  ['of a workflow', { workflowId: 2 }, 'executions_of_workflow'],
  ['completed', { status: 'completed' }, 'executions_of_owner'],
  ['completed of a workflow', { status: 'completed', workflowId: 2 }, 'executions_of_workflow'],
  ['failed', { status: 'failed' }, 'executions_ended_badly'],
  ['cancelled of a workflow', { status: 'cancelled', workflowId: 2 }, 'executions_of_workflow_ended_badly'],
];

test.each(filters)('a list of runs, %s, only scans its index', (_name, filter, index) => {
  expect(planOf(pageQuery({ ...page, ...filter }))).toEqual({ index, sorts: false });
});

// The indexes of open runs are in claim order; open runs are few, so they are sorted.
test('a list of open runs reads open runs only', () => {
  expect(planOf(pageQuery({ ...page, status: 'pending' })).index).toBe('executions_pending');
  expect(planOf(pageQuery({ ...page, status: 'pending', workflowId: 2 })).index).toBe('executions_pending');
  expect(planOf(pageQuery({ ...page, status: 'running' })).index).toBe('executions_leases');
  expect(planOf(pageQuery({ ...page, status: 'running', workflowId: 2 })).index).toBe('executions_leases');
});

test('a list continues where its last slice ended', () => {
  const after = { acceptedAt: '2026-01-05T10:00:00.000000', id: 'x' };
  expect(planOf(placesQuery(page, after, 500))).toEqual({ index: 'executions_of_owner', sorts: false });
});

test('with very many open runs, those of a list are found among the others without sorting', () => {
  const after = { acceptedAt: '2026-01-05T10:00:00.000000', id: 'x' };
  const open = { ...page, status: 'pending' } as const;
  expect(planOf(looksQuery(open, after, 500))).toEqual({ index: 'executions_of_owner', sorts: false });
  const index = 'executions_of_workflow';
  expect(planOf(looksQuery({ ...open, workflowId: 2 }, after, 500))).toEqual({ index, sorts: false });
});

test.each([
  'completed',
  'failed',
  'cancelled',
  'waiting',
  'interrupted',
] as const)('positions of %s runs are not sorted, so they are read in slices', (status) => {
  expect(planOf(placesQuery({ ...page, status }, null, 500)).sorts).toBe(false);
});
