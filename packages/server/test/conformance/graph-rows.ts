import { part } from './row.ts';

/** Lists of operations, versions and the trash. */
export const graphRows = [
  part('Graph, versions and trash', 'interface.graph', [
    [
      'batch',
      'POST graph applies node and edge operations in one transaction',
      'graph: creates nodes and the edges between them as one version, and returns each object',
      'graph: with %j changes nothing, and the error names the operation',
    ],
    [
      'stale',
      'a stale `version`: 409 with the current graph',
      'graph: changes nothing, and is answered with the current workflow',
      'graph: is rejected if another list was applied at the same time',
    ],
    [
      'versions',
      'versions are listed and read',
      'versions: lists every version, newest first, with its author and its changes',
      'versions: returns the graph of that version',
    ],
    [
      'versions.restore',
      'an earlier version is restored as a new one',
      'versions: creates a new version with that graph, with its original ids, and returns the workflow',
    ],
    [
      'trash',
      'deleted workflows are listed, restored, and deleted permanently',
      'trash: lists what the caller deleted, and nothing of others',
      'trash: restores the workflow with its nodes, edges and versions',
      'trash: deletes it permanently',
    ],
  ]),
];
