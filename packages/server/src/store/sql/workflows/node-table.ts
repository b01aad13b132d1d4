import { firstNewId, formatInstant, type Instant, type Node } from '@millrace/core';
import type { NodeFields } from '../../graphs.ts';
import type { Connection } from '../database/connection.ts';
import { type NodeParams, type NodeRow, nodeFieldColumns, nodeParams } from './graph-rows.ts';
import { changedColumns, type Undo } from './undo.ts';

/** Writes to `nodes`, recording first how to undo each write. */
export interface NodeTable {
  insert(fields: NodeFields, place: NewPlace): Node;
  update(node: Node, place: Place): Node;
  remove(id: number, place: Place): void;
}

/** The workflow of the object, and where to record how to undo the change. */
export interface Place {
  readonly workflowId: number;
  readonly undos: Undo[];
}

/** The same for an object to be created; it already has an id if it was deleted and is restored. */
interface NewPlace extends Place {
  readonly id: number | undefined;
  readonly updatedAt: Instant;
}

const columns = [...nodeFieldColumns, 'updated_at'];

/** Prepares the statements that change nodes. */
export function prepareNodeTable(connection: Connection): NodeTable {
  const insert = connection.prepare<[number | null, number, ...NodeParams, string]>(
    `INSERT INTO nodes (id, workflow_id, ${columns.join(', ')}) VALUES (?, ?, ${columns.map(() => '?').join(', ')})`,
  );
  const find = connection.prepare<[number, number], NodeRow>(
    `SELECT id, ${columns.join(', ')} FROM nodes WHERE id = ? AND workflow_id = ?`,
  );
  const update = connection.prepare<[...NodeParams, string, number]>(
    `UPDATE nodes SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
  );
  const remove = connection.prepare<[number]>('DELETE FROM nodes WHERE id = ?');

  /** The caller saw the node at exactly this version of the graph; if it is not there, the caller has a bug. */
  function expect(id: number, { workflowId }: Place): NodeRow {
    const row = find.get(id, workflowId);
    if (row === undefined) throw new Error(`A graph change names node ${id}, which this workflow does not have.`);
    return row;
  }

  return {
    insert(fields, { workflowId, undos, id = firstNewId, updatedAt }) {
      // NULL gives the next id, which no node has ever had.
      const given = id < firstNewId ? id : null;
      const { lastInsertRowid } = insert.run(given, workflowId, ...nodeParams(fields), formatInstant(updatedAt));
      const node = { ...fields, id: Number(lastInsertRowid), updatedAt };
      undos.push({ drop: 'node', id: node.id });
      return node;
    },
    update(node, place) {
      const params = [...nodeParams(node), formatInstant(node.updatedAt)] as const;
      place.undos.push({ set: 'node', id: node.id, columns: changedColumns(expect(node.id, place), columns, params) });
      update.run(...params, node.id);
      return node;
    },
    remove(id, place) {
      place.undos.push({ node: expect(id, place) });
      remove.run(id);
    },
  };
}
