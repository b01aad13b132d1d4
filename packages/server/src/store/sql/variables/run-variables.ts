import { createHash } from 'node:crypto';
import type { Json } from '@millrace/core';
import type { RunVariables, VariableStore } from '../../variables.ts';
import type { Connection } from '../database/connection.ts';

/** A variable that a run reads: one of its own workflow, or of the instance. */
interface VisibleRow {
  readonly id: number;
  readonly name: string;
  readonly revision: number;
  readonly is_secret: 0 | 1;
  /** Null if no run has read this revision. */
  readonly version_id: number | null;
}

/** The names of a run's variables with the versions of their values. */
interface VariableSet {
  readonly versions: readonly (readonly [name: string, versionId: number])[];
  readonly secrets: readonly string[];
}

/** Which set a run reads, and its content unless `known` has it. */
export interface RunSet {
  readonly setId: number;
  readonly variables: RunVariables;
}

/**
 * Reads the variables of a run, in a transaction in progress; the first time, stores which versions it reads.
 * @param known the content of committed sets by their id
 */
export function prepareRunVariables(connection: Connection, known: Pick<Map<number, RunVariables>, 'get'>) {
  const sql = statements(connection);

  function setOf({ workflowId, names }: Parameters<VariableStore['ofRun']>[0]): number {
    const wanted = names === null ? null : JSON.stringify(names);
    // The workflow's own variables come last and replace the instance's.
    const rows = [...new Map(sql.visible.all(workflowId, wanted, wanted).map((row) => [row.name, row])).values()];
    const plain = rows.filter((row) => row.is_secret === 0);
    return storedSet({
      versions: plain.map((row) => [row.name, row.version_id ?? Number(sql.addVersion.run(row.id).lastInsertRowid)]),
      secrets: rows.filter((row) => row.is_secret === 1).map(({ name }) => name),
    });
  }

  function storedSet(set: VariableSet): number {
    const digest = createHash('sha256').update(JSON.stringify(set)).digest('hex');
    const found = sql.findSet.get(digest);
    if (found !== undefined) return found.id;
    const id = Number(sql.addSet.run(digest, JSON.stringify(set.secrets)).lastInsertRowid);
    for (const [name, versionId] of set.versions) sql.addValue.run(id, name, versionId);
    return id;
  }

  function contentOf(setId: number): RunVariables {
    const found = known.get(setId);
    if (found !== undefined) return found;
    const values = sql.values.all(setId).map(({ name, value }) => [name, JSON.parse(value) as Json] as const);
    return {
      values: Object.fromEntries(values),
      secrets: JSON.parse(sql.secrets.get(setId)?.secrets ?? '[]') as string[],
    };
  }

  return (params: Parameters<VariableStore['ofRun']>[0]): RunSet => {
    let setId = sql.setOfRun.get(params.executionId)?.set_id;
    if (setId === undefined) {
      setId = setOf(params);
      sql.addRun.run(setId, params.executionId);
    }
    return { setId, variables: contentOf(setId) };
  };
}

function statements(connection: Connection) {
  return {
    setOfRun: connection.prepare<[string], { set_id: number }>(
      'SELECT set_id FROM run_variables WHERE execution_id = ?',
    ),
    visible: connection.prepare<[number, string | null, string | null], VisibleRow>(
      `SELECT v.id, v.name, v.revision, v.sealed IS NOT NULL AS is_secret, s.id AS version_id
       FROM variables v LEFT JOIN variable_versions s ON s.variable_id = v.id AND s.revision = v.revision
       WHERE (v.workflow_id IS NULL OR v.workflow_id = ?) AND (? IS NULL OR v.name IN (SELECT value FROM json_each(?)))
       ORDER BY v.workflow_id IS NOT NULL, v.name`,
    ),
    addVersion: connection.prepare<[number]>(
      'INSERT INTO variable_versions (variable_id, revision, value) SELECT id, revision, value FROM variables WHERE id = ?',
    ),
    findSet: connection.prepare<[string], { id: number }>('SELECT id FROM variable_sets WHERE digest = ?'),
    addSet: connection.prepare<[string, string]>('INSERT INTO variable_sets (digest, secrets) VALUES (?, ?)'),
    addValue: connection.prepare<[number, string, number]>(
      'INSERT INTO variable_set_values (set_id, name, version_id) VALUES (?, ?, ?)',
    ),
    addRun: connection.prepare<[number, string]>(
      'INSERT INTO run_variables (execution_id, set_id) SELECT id, ? FROM executions WHERE id = ?',
    ),
    values: connection.prepare<[number], { name: string; value: string }>(
      `SELECT v.name, s.value FROM variable_set_values v JOIN variable_versions s ON s.id = v.version_id
       WHERE v.set_id = ? ORDER BY v.name`,
    ),
    secrets: connection.prepare<[number], { secrets: string }>('SELECT secrets FROM variable_sets WHERE id = ?'),
  };
}
