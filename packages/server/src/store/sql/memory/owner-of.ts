import type { SpaceOwner } from '../../memory.ts';
import type { Connection } from '../database/connection.ts';

/** Finds the user whose workflows share a memory. Throws for a workflow that was deleted permanently. */
export function prepareOwnerOf(connection: Connection): (owner: SpaceOwner) => number {
  const find = connection.prepare<[number], { owner_id: number }>('SELECT owner_id FROM workflows WHERE id = ?');
  return (owner) => {
    if ('ownerId' in owner) return owner.ownerId;
    const found = find.get(owner.workflowId);
    if (found === undefined) throw new Error(`workflow ${owner.workflowId} was deleted`);
    return found.owner_id;
  };
}
