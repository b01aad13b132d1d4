import type { Edge, Instant, Node } from '@millrace/core';
import type { GraphChange } from '../../graphs.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { prepareEdgeTable } from './edge-table.ts';
import { type Place, prepareNodeTable } from './node-table.ts';
import type { ScheduleTable } from './schedule-table.ts';
import type { NewIds } from './temporary-ids.ts';

/** The state that the changes of one save share. */
interface Save extends Place {
  readonly updatedAt: Instant;
  /** The version that the save creates. */
  readonly version: number;
  /** Another version is published, so the schedules are not updated. */
  readonly isDraft: boolean;
  readonly newIds: NewIds;
}

/** Applies one change to the tables and publishes its event; returns the stored object, or null for a deletion. */
export function prepareGraphChanges(
  connection: Connection,
  schedules: ScheduleTable,
): (change: GraphChange, save: Save, effects: Effects) => Node | Edge | null {
  const nodes = prepareNodeTable(connection);
  const edges = prepareEdgeTable(connection);
  return (change, save, effects) => {
    const { workflowId, undos, updatedAt, isDraft, newIds, version } = save;
    const publishNode = (type: 'node_created' | 'node_updated', node: Node): void => {
      const schedule = isDraft ? schedules.of(node) : schedules.follow(node, { workflowId, at: updatedAt }, effects);
      effects.publish(workflowId, { type, version, node, ...(schedule && { schedule }) });
    };
    switch (change.kind) {
      case 'create_node': {
        const node = nodes.insert(newIds.linked(change.node), { workflowId, undos, id: change.id, updatedAt });
        newIds.note(change.id, node.id);
        publishNode('node_created', node);
        return node;
      }
      case 'update_node': {
        const node = nodes.update({ ...newIds.linked(change.node), id: newIds.of(change.id), updatedAt }, save);
        publishNode('node_updated', node);
        return node;
      }
      case 'delete_node': {
        const id = newIds.of(change.id);
        nodes.remove(id, save);
        if (!isDraft) schedules.remove(id, effects);
        effects.publish(workflowId, { type: 'node_deleted', version, nodeId: change.nodeId });
        return null;
      }
      case 'create_edge': {
        const edge = edges.insert(change.edge, { workflowId, undos, id: change.id });
        newIds.note(change.id, edge.id);
        effects.publish(workflowId, { type: 'edge_created', version, edge });
        return edge;
      }
      case 'update_edge': {
        const edge = edges.update({ ...change.edge, id: newIds.of(change.id) }, save);
        effects.publish(workflowId, { type: 'edge_updated', version, edge });
        return edge;
      }
      case 'delete_edge': {
        const id = newIds.of(change.id);
        edges.remove(id, save);
        effects.publish(workflowId, { type: 'edge_deleted', version, id });
        return null;
      }
    }
  };
}
