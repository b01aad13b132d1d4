import type { Json, Variable } from '@millrace/core';
import type { NewVariable, SealedVariable, StoredVariable, VariableStore } from '../../variables.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import { KnownSets } from './known-sets.ts';
import { prepareRunVariables } from './run-variables.ts';

interface VariableRow {
  readonly id: number;
  readonly workflow_id: number | null;
  readonly name: string;
  readonly value: string;
  readonly sealed: string | null;
  readonly allowed_hosts: string;
  readonly revision: number;
}

const columns = 'id, workflow_id, name, value, sealed, allowed_hosts, revision';

/** The SQLite store of variables. */
export function variableStore(connection: Connection, writer: Writer): VariableStore {
  const sql = statements(connection);
  const known = new KnownSets();
  const ofRun = prepareRunVariables(connection, known);
  const isCurrent = (sealed: string): boolean =>
    sql.isCurrentKey.get(sealed.slice(0, sealed.indexOf('.'))) !== undefined;
  /** The length of all values except one. */
  const lengthWithout = (workflowId: number | null, name: string): number =>
    sql.length.get(workflowId, name)?.length ?? 0;
  return {
    list: ({ workflowId, limit, offset }) =>
      connection.read(() => ({
        items: sql.list.all(workflowId, limit, offset).map(toVariable),
        total: sql.total.get(workflowId)?.n ?? 0,
      })),
    byName: ({ workflowId, name }) => connection.read(() => storedOrNull(sql.byName.get(workflowId, name))),
    insert: ({ most, mostLength, ...variable }) =>
      writer.submit(() => {
        const { workflowId, name, sealed } = variable;
        if (sql.byName.get(workflowId, name) !== undefined) return 'exists';
        if ((sql.total.get(workflowId)?.n ?? 0) >= most) return 'full';
        if (lengthWithout(workflowId, name) + contentOf(variable)[0].length > mostLength) return 'too_large';
        if (sealed !== null && !isCurrent(sealed)) return 'key_replaced';
        sql.insert.run(workflowId, name, ...contentOf(variable));
        return shown(variable);
      }),
    update: ({ revision, before, mostLength, ...variable }) =>
      writer.submit(() => {
        const { workflowId, name, sealed } = variable;
        if (name !== before && sql.byName.get(workflowId, name) !== undefined) return 'exists';
        if (lengthWithout(workflowId, before) + contentOf(variable)[0].length > mostLength) return 'too_large';
        if (sealed !== null && !isCurrent(sealed)) return 'key_replaced';
        const { changes } = sql.update.run(name, ...contentOf(variable), workflowId, before, revision);
        return changes === 1 ? shown(variable) : 'stale';
      }),
    remove: ({ workflowId, name }) => writer.submit(() => sql.remove.run(workflowId, name).changes === 1),
    visibleTo: ({ workflowId }) =>
      connection.read(() => sql.visible.all(workflowId).map(({ name, sealed }) => ({ name, isSecret: sealed === 1 }))),
    sealedFor: ({ workflowId, name }) =>
      connection.read(() => storedOrNull(sql.byName.get(workflowId, name) ?? sql.byName.get(null, name))),
    async ofRun(params) {
      const { setId, variables } = await writer.submit(() => ofRun(params));
      // Only now: the id of a set that was rolled back is used again.
      known.add(setId, variables);
      return variables;
    },
    sealedByOldKeys: ({ afterId, limit }) =>
      connection.read(() => sql.sealedByOldKeys.all(afterId, limit).map((row) => toStored(row) as SealedVariable)),
    reseal: ({ id, revision, sealed }) =>
      writer.submit(() => {
        if (!isCurrent(sealed)) return 'key_replaced';
        return sql.reseal.run(sealed, id, revision).changes === 1 ? 'stored' : 'stale';
      }),
  };
}

type Content = [value: string, sealed: string | null, allowedHosts: string];

function statements(connection: Connection) {
  return {
    list: connection.prepare<[number | null, number, number], VariableRow>(
      `SELECT ${columns} FROM variables WHERE workflow_id IS ? ORDER BY id DESC LIMIT ? OFFSET ?`,
    ),
    total: connection.prepare<[number | null], { n: number }>(
      'SELECT count(*) AS n FROM variables WHERE workflow_id IS ?',
    ),
    byName: connection.prepare<[number | null, string], VariableRow>(
      `SELECT ${columns} FROM variables WHERE workflow_id IS ? AND name = ?`,
    ),
    // A workflow's own variable shadows the instance's variable of the same name, and max() selects its row.
    visible: connection.prepare<[number | null], { name: string; sealed: 0 | 1 }>(
      `SELECT name, sealed IS NOT NULL AS sealed, max(workflow_id IS NOT NULL) FROM variables
       WHERE workflow_id IS NULL OR workflow_id = ? GROUP BY name ORDER BY name`,
    ),
    insert: connection.prepare<[number | null, string, ...Content]>(
      'INSERT INTO variables (workflow_id, name, value, sealed, allowed_hosts) VALUES (?, ?, ?, ?, ?)',
    ),
    length: connection.prepare<[number | null, string], { length: number }>(
      'SELECT coalesce(sum(length(value)), 0) AS length FROM variables WHERE workflow_id IS ? AND name <> ?',
    ),
    update: connection.prepare<[string, ...Content, number | null, string, number]>(
      `UPDATE variables SET name = ?, value = ?, sealed = ?, allowed_hosts = ?, revision = revision + 1
       WHERE workflow_id IS ? AND name = ? AND revision = ?`,
    ),
    remove: connection.prepare<[number | null, string]>('DELETE FROM variables WHERE workflow_id IS ? AND name = ?'),
    isCurrentKey: connection.prepare<[string], { id: string }>(
      'SELECT id FROM secret_keys WHERE id = ? AND is_current = 1',
    ),
    sealedByOldKeys: connection.prepare<[number, number], VariableRow>(
      `SELECT ${columns} FROM variables
       WHERE id > ? AND substr(sealed, 1, instr(sealed, '.') - 1) NOT IN (SELECT id FROM secret_keys WHERE is_current = 1)
       ORDER BY id LIMIT ?`,
    ),
    reseal: connection.prepare<[string, number, number]>(
      'UPDATE variables SET sealed = ?, revision = revision + 1 WHERE id = ? AND revision = ?',
    ),
  };
}

function contentOf({ value, sealed, allowedHosts }: NewVariable): Content {
  return [JSON.stringify(value), sealed, JSON.stringify(allowedHosts)];
}

function shown({ name, value, isSecret, allowedHosts }: NewVariable): Variable {
  return { name, value, isSecret, allowedHosts };
}

function toVariable(row: VariableRow): Variable {
  return {
    name: row.name,
    value: JSON.parse(row.value) as Json,
    isSecret: row.sealed !== null,
    allowedHosts: JSON.parse(row.allowed_hosts) as readonly string[],
  };
}

function toStored(row: VariableRow): StoredVariable & { readonly id: number } {
  const { id, workflow_id: workflowId, sealed, revision } = row;
  return { ...toVariable(row), id, workflowId, sealed, revision };
}

function storedOrNull(row: VariableRow | undefined): StoredVariable | null {
  return row === undefined ? null : toStored(row);
}
