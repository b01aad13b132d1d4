import { type Edge, firstNewId } from '@millrace/core';
import type { EdgeFields } from '../../graphs.ts';
import type { Connection } from '../database/connection.ts';
import { prepareEdgeIndex } from './edge-index.ts';
import { edgeFieldColumns as columns, type EdgeParams, type EdgeRow, edgeParams } from './graph-rows.ts';
import type { Place } from './node-table.ts';
import { changedColumns } from './undo.ts';

/** Writes to `edges`, recording first how to undo each write. */
export interface EdgeTable {
  /** It already has an id if it was deleted and is restored. */
  insert(fields: EdgeFields, place: Place & { readonly id: number | undefined }): Edge;
  update(edge: Edge, place: Place): Edge;
  remove(id: number, place: Place): void;
}

/** Prepares the statements that change edges. */
export function prepareEdgeTable(connection: Connection): EdgeTable {
  const insert = connection.prepare<[number | null, number, ...EdgeParams]>(
    `INSERT INTO edges (id, workflow_id, ${columns.join(', ')}, is_indexed)
     VALUES (?, ?, ${columns.map(() => '?').join(', ')}, 0)`,
  );
  const index = prepareEdgeIndex(connection);
  const find = connection.prepare<[number, number], EdgeRow>(
    `SELECT id, ${columns.join(', ')} FROM edges WHERE id = ? AND workflow_id = ?`,
  );
  const update = connection.prepare<[...EdgeParams, number]>(
    `UPDATE edges SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
  );
  const remove = connection.prepare<[number]>('DELETE FROM edges WHERE id = ?');

  /** The caller saw the edge at exactly this version of the graph; if it is not there, the caller has a bug. */
  function expect(id: number, { workflowId }: Place): EdgeRow {
    const row = find.get(id, workflowId);
    if (row === undefined) throw new Error(`A graph change names edge ${id}, which this workflow does not have.`);
    return row;
  }

  return {
    insert(fields, { workflowId, undos, id = firstNewId }) {
      // NULL gives the next id, which no edge has ever had.
      const given = id < firstNewId ? id : null;
      const { lastInsertRowid } = insert.run(given, workflowId, ...edgeParams(fields));
      index.added();
      const edge = { ...fields, id: Number(lastInsertRowid) };
      undos.push({ drop: 'edge', id: edge.id });
      return edge;
    },
    update(edge, place) {
      const params = edgeParams(edge);
      place.undos.push({ set: 'edge', id: edge.id, columns: changedColumns(expect(edge.id, place), columns, params) });
      update.run(...params, edge.id);
      return edge;
    },
    remove(id, place) {
      place.undos.push({ edge: expect(id, place) });
      remove.run(id);
    },
  };
}
