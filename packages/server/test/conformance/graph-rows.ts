import { part } from './row.ts';

/** Lists of operations, versions and the trash. */
export const graphRows = [
  part('Graph, versions and trash', 'interface.graph', [
    [
      'batch',
      'POST graph applies node and edge operations in one transaction',
      'graph: makes nodes and the edges between them as one version, and answers with each object',
      'graph: for %j changes nothing, and says which operation it was',
    ],
    [
      'stale',
      'a stale `version`: 409 with the current graph',
      'graph: changes nothing, and is answered with the workflow as it is now',
      'graph: of two at the same moment is refused for one',
    ],
    [
      'versions',
      'versions are listed and read',
      'versions: lists every version, newest first, with who made it and what it changed',
      'versions: shows the graph as it was',
    ],
    [
      'versions.restore',
      'an earlier version is restored as a new one',
      'versions: makes a new version with that graph, under the ids that it had, and answers with the workflow',
    ],
    [
      'trash',
      'deleted workflows are listed, restored, and deleted for good',
      'trash: lists what the caller deleted, and nothing of others',
      'trash: gives the workflow back with its nodes, edges and versions',
      'trash: deletes it for good',
    ],
  ]),
];
