import { type Edge, formatInstant, type Instant, type Node } from '@millrace/core';
import type { EdgeFields, GraphChange, NodeFields } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Effects } from './effects.ts';
import {
  type EdgeParams,
  edgeFieldColumns,
  edgeParams,
  type NodeParams,
  nodeFieldColumns,
  nodeParams,
} from './graph-rows.ts';
import type { NewIds } from './new-ids.ts';

interface Application {
  readonly workflowId: number;
  readonly change: GraphChange;
  readonly updatedAt: Instant;
  /** Of the save that the change belongs to. */
  readonly newIds: NewIds;
}

/** Applies one change to the tables and publishes its event; gives the stored object, or null for a deletion. */
export function prepareGraphChanges(
  connection: Connection,
): (params: Application, effects: Effects) => Node | Edge | null {
  const nodes = prepareNodes(connection);
  const edges = prepareEdges(connection);
  return ({ workflowId, change, updatedAt, newIds }, effects) => {
    switch (change.kind) {
      case 'create_node': {
        const node = nodes.insert(workflowId, newIds.linked(change.node), updatedAt);
        newIds.note(change.id, node.id);
        effects.publish(workflowId, { type: 'node_created', node });
        return node;
      }
      case 'update_node': {
        const node = nodes.update(workflowId, { ...newIds.linked(change.node), id: newIds.of(change.id), updatedAt });
        effects.publish(workflowId, { type: 'node_updated', node });
        return node;
      }
      case 'delete_node':
        nodes.remove(workflowId, newIds.of(change.id));
        effects.publish(workflowId, { type: 'node_deleted', nodeId: change.nodeId });
        return null;
      case 'create_edge': {
        const edge = edges.insert(workflowId, change.edge);
        newIds.note(change.id, edge.id);
        effects.publish(workflowId, { type: 'edge_created', edge });
        return edge;
      }
      case 'update_edge': {
        const edge = edges.update(workflowId, { ...change.edge, id: newIds.of(change.id) });
        effects.publish(workflowId, { type: 'edge_updated', edge });
        return edge;
      }
      case 'delete_edge': {
        const id = newIds.of(change.id);
        edges.remove(workflowId, id);
        effects.publish(workflowId, { type: 'edge_deleted', id });
        return null;
      }
    }
  };
}

function prepareNodes(connection: Connection) {
  const insert = connection.prepare<[number, ...NodeParams, string]>(
    `INSERT INTO nodes (workflow_id, ${nodeFieldColumns.join(', ')}, updated_at)
     VALUES (?, ${nodeFieldColumns.map(() => '?').join(', ')}, ?)`,
  );
  const update = connection.prepare<[...NodeParams, string, number, number]>(
    `UPDATE nodes SET ${nodeFieldColumns.map((name) => `${name} = ?`).join(', ')}, updated_at = ?
     WHERE id = ? AND workflow_id = ?`,
  );
  const remove = connection.prepare<[number, number]>('DELETE FROM nodes WHERE id = ? AND workflow_id = ?');
  return {
    insert(workflowId: number, fields: NodeFields, updatedAt: Instant): Node {
      const { lastInsertRowid } = insert.run(workflowId, ...nodeParams(fields), formatInstant(updatedAt));
      return { ...fields, id: Number(lastInsertRowid), updatedAt };
    },
    update(workflowId: number, node: Node): Node {
      expectOne(update.run(...nodeParams(node), formatInstant(node.updatedAt), node.id, workflowId), 'node', node.id);
      return node;
    },
    remove(workflowId: number, id: number): void {
      expectOne(remove.run(id, workflowId), 'node', id);
    },
  };
}

function prepareEdges(connection: Connection) {
  const insert = connection.prepare<[number, ...EdgeParams]>(
    `INSERT INTO edges (workflow_id, ${edgeFieldColumns.join(', ')})
     VALUES (?, ${edgeFieldColumns.map(() => '?').join(', ')})`,
  );
  const update = connection.prepare<[...EdgeParams, number, number]>(
    `UPDATE edges SET ${edgeFieldColumns.map((name) => `${name} = ?`).join(', ')} WHERE id = ? AND workflow_id = ?`,
  );
  const remove = connection.prepare<[number, number]>('DELETE FROM edges WHERE id = ? AND workflow_id = ?');
  return {
    insert(workflowId: number, fields: EdgeFields): Edge {
      const { lastInsertRowid } = insert.run(workflowId, ...edgeParams(fields));
      return { ...fields, id: Number(lastInsertRowid) };
    },
    update(workflowId: number, edge: Edge): Edge {
      expectOne(update.run(...edgeParams(edge), edge.id, workflowId), 'edge', edge.id);
      return edge;
    },
    remove(workflowId: number, id: number): void {
      expectOne(remove.run(id, workflowId), 'edge', id);
    },
  };
}

/** The caller saw the object at this very version of the graph; if it is not there, the caller is wrong. */
function expectOne(result: { changes: number }, what: string, id: number): void {
  if (result.changes !== 1) throw new Error(`A graph change names ${what} ${id}, which this workflow does not have.`);
}
