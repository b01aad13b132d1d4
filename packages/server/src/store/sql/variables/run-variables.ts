import type { Json } from '@millrace/core';
import type { RunVariables, VariableStore } from '../../variables.ts';
import type { Connection } from '../database/connection.ts';

interface VisibleRow {
  readonly name: string;
  readonly value: string;
  readonly is_secret: 0 | 1;
}

/** Reads the variables of a run, in a transaction in progress; the first time, stores them. */
export function prepareRunVariables(connection: Connection) {
  const find = connection.prepare<[string], { variables: string }>(
    'SELECT variables FROM run_variables WHERE execution_id = ?',
  );
  // The workflow's own variables come last and replace the instance's.
  const visible = connection.prepare<[number, string | null, string | null], VisibleRow>(
    `SELECT name, value, sealed IS NOT NULL AS is_secret FROM variables
     WHERE (workflow_id IS NULL OR workflow_id = ?) AND (? IS NULL OR name IN (SELECT value FROM json_each(?)))
     ORDER BY workflow_id IS NOT NULL, name`,
  );
  const insert = connection.prepare<[string, string]>(
    'INSERT INTO run_variables (execution_id, variables) SELECT id, ? FROM executions WHERE id = ?',
  );
  return ({ executionId, workflowId, names }: Parameters<VariableStore['ofRun']>[0]): RunVariables => {
    const stored = find.get(executionId);
    if (stored !== undefined) return JSON.parse(stored.variables) as RunVariables;
    const wanted = names === null ? null : JSON.stringify(names);
    const rows = [...new Map(visible.all(workflowId, wanted, wanted).map((row) => [row.name, row])).values()];
    const plain = rows.filter((row) => row.is_secret === 0);
    const variables: RunVariables = {
      values: Object.fromEntries(plain.map(({ name, value }) => [name, JSON.parse(value) as Json])),
      secrets: rows.filter((row) => row.is_secret === 1).map(({ name }) => name),
    };
    insert.run(JSON.stringify(variables), executionId);
    return variables;
  };
}
