import type { Schemas } from '@millrace/client';

type Counted = Pick<Schemas['Version'], 'nodes' | 'edges' | 'restored_from'>;

/** What a version changed: `+2 nodes, 1 node changed, −1 connection`. */
export function summaryOf({ nodes, edges, restored_from: from }: Counted): string {
  if (from !== null) return `Restored version ${from}`;
  const parts = [...partsOf(nodes, 'node'), ...partsOf(edges, 'connection')];
  return parts.length === 0 ? 'No changes' : parts.join(', ');
}

function partsOf({ created, updated, deleted }: Counted['nodes'], noun: string): readonly string[] {
  const words = (count: number): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return [
    ...(created > 0 ? [`+${words(created)}`] : []),
    ...(updated > 0 ? [`${words(updated)} changed`] : []),
    ...(deleted > 0 ? [`−${words(deleted)}`] : []),
  ];
}
