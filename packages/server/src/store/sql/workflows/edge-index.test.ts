import { afterEach, beforeEach, expect, test } from 'vitest';
import { Connection } from '../database/connection.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { prepareEdgeIndex, prepareEdgesOf } from './edge-index.ts';

let connection: Connection;

beforeEach(() => {
  connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
});

afterEach(() => connection.close());

/** Adds an edge as a save does. */
function add(index: ReturnType<typeof prepareEdgeIndex>, workflowId: number, name: string): void {
  connection.all(
    `INSERT INTO edges (workflow_id, source_node_id, target_node_id, edge_type, edge_label, condition_value, priority,
       is_indexed)
     VALUES (?, ?, 'end', 'direct', '', '', 0, 0) RETURNING id`,
    [workflowId, name],
  );
  index.added();
}

function waiting(): number {
  return connection.all<{ n: number }>('SELECT count(*) AS n FROM edges WHERE is_indexed = 0', [])[0]?.n ?? 0;
}

test('edges are found by workflow, in id order, before and after they are indexed', () => {
  const index = prepareEdgeIndex(connection);
  const names = () => prepareEdgesOf(connection)(1).map((row) => row.source_node_id);
  add(index, 1, 'a');
  add(index, 2, 'x');
  expect(names()).toEqual(['a']);
  index.complete();
  add(index, 1, 'b');
  expect(names()).toEqual(['a', 'b']);
  expect(waiting()).toBe(1);
});

test('the number of edges that wait for the index is limited, even if there were some when the process started', () => {
  const first = prepareEdgeIndex(connection);
  for (let n = 0; n < 1_500; n += 1) add(first, 1 + (n % 7), `a${n}`);
  expect(waiting()).toBe(1_500);
  const second = prepareEdgeIndex(connection);
  for (let n = 0; n < 500; n += 1) add(second, 1 + (n % 7), `b${n}`);
  expect(waiting()).toBe(0);
});

test('neither reading nor purging scans the edges of other workflows', () => {
  const plan = (sql: string) =>
    connection
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, [])
      .map(({ detail }) => detail)
      .join('; ');
  expect(plan('SELECT id FROM edges WHERE workflow_id = 1 AND is_indexed = 1')).toContain('edges_of_workflow');
  expect(plan('SELECT id FROM edges WHERE is_indexed = 0 AND workflow_id = 1')).toContain('edges_not_indexed');
  expect(plan('DELETE FROM edges WHERE workflow_id = 1 AND is_indexed = 1')).toContain('edges_of_workflow');
});

test('an older database keeps its edges, and never reuses the id of a deleted one', () => {
  const older = new Connection(':memory:');
  const steps = sqliteMigrations();
  migrate(
    older,
    steps.filter(({ number }) => number < 13),
  );
  older.script(`
    PRAGMA foreign_keys = OFF;
    INSERT INTO edges (id, workflow_id, source_node_id, target_node_id, edge_type, edge_label, condition_value, priority)
      VALUES (7, 1, 'a', 'b', 'direct', '', '', 0), (9, 1, 'b', 'c', 'direct', '', '', 0);
    DELETE FROM edges WHERE id = 9;
  `);
  migrate(older, steps);
  expect(prepareEdgesOf(older)(1).map(({ id }) => id)).toEqual([7]);
  const [added] = older.all<{ id: number }>(
    `INSERT INTO edges (workflow_id, source_node_id, target_node_id, edge_type, edge_label, condition_value, priority,
       is_indexed)
     VALUES (1, 'c', 'd', 'direct', '', '', 0, 0) RETURNING id`,
    [],
  );
  expect(added).toEqual({ id: 10 });
  older.close();
});
