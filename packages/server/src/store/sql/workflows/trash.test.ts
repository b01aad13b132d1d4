import { expect, onTestFinished, test } from 'vitest';
import { newExecution, newUser, newWorkflow, nodeFields, start } from '../../testsuite/world.ts';
import { Connection } from '../database/connection.ts';
import { noSync } from '../database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { storeOn } from '../sqlite.ts';

test('a permanently deleted workflow leaves no row in any table, and another one loses none of its rows', async () => {
  const connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  const store = storeOn(connection, { sync: noSync() });
  onTestFinished(() => store.close());
  const tables = connection.all<{ name: string }>(
    `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c ON c.name = 'workflow_id' WHERE s.type = 'table'`,
    [],
  );
  const rowsOf = (id: number) =>
    Object.fromEntries(
      tables.map(({ name }) => [
        name,
        connection.all<{ n: number }>(`SELECT count(*) AS n FROM ${name} WHERE workflow_id = ?`, [id])[0]?.n,
      ]),
    );

  const ids: number[] = [];
  for (let index = 0; index < 2; index += 1) {
    const workflow = await newWorkflow(store);
    const { id: workflowId, version: baseVersion } = workflow;
    const changes = [
      { kind: 'create_node', node: nodeFields('a') },
      {
        kind: 'create_edge',
        edge: {
          sourceNodeId: 'a',
          targetNodeId: 'b',
          edgeType: 'direct',
          edgeLabel: '',
          conditionMapping: null,
          conditionValue: '',
          priority: 0,
        },
      },
    ] as const;
    await store.graphs.save({ workflowId, baseVersion, changes, at: start });
    const { id: userId } = await newUser(store);
    await store.collaborators.insert({ workflowId, userId, role: 'viewer', at: start });
    await store.executions.accept(newExecution({ ...workflow, version: baseVersion + 1 }));
    ids.push(workflowId);
  }
  const [gone = 0, other = 0] = ids;
  const before = rowsOf(other);
  const written = [
    'collaborators',
    'edges',
    'execution_counts',
    'executions',
    'graph_versions',
    'nodes',
    'workflow_versions',
  ];
  const filled = Object.entries(before).filter(([, n]) => n !== 0);
  expect(filled.map(([name]) => name)).toEqual(expect.arrayContaining(written));
  await store.workflows.remove({ ids: [gone], at: start });
  while ((await store.trash.purge({ id: gone, runs: 1, at: start })) === 'more');
  expect(Object.entries(rowsOf(gone)).filter(([, n]) => n !== 0)).toEqual([]);
  expect(rowsOf(other)).toEqual(before);
});
