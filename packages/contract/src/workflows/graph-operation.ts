import { type Edge, firstNewId, type Node } from '@millrace/core';
import { z } from 'zod';
import { errorBody, fieldIssue } from '../base/error.ts';
import { named } from '../base/named.ts';
import { edge, edgeChanges, newEdge, presentEdge } from './edge.ts';
import { newNode, node, nodeChanges, nodeExample, presentNode, type SchedulesById } from './node.ts';
import { staleBody } from './version.ts';

const nodeId = z
  .string()
  .max(255)
  .describe('The `node_id` of a node, which an earlier operation of the list may have created.');
const edgeId = z.int().positive().lt(firstNewId).describe('The `id` of an edge.');

const operation = named(
  'GraphOperation',
  z.discriminatedUnion('op', [
    z.object({ op: z.literal('create_node'), node: newNode }).describe('Creates a node, like `POST …/nodes/`.'),
    z
      .object({ op: z.literal('update_node'), node_id: nodeId, changes: nodeChanges })
      .describe('Changes a node, like `PATCH …/nodes/{node_id}/`; a `node_id` in the changes renames the node.'),
    z
      .object({ op: z.literal('delete_node'), node_id: nodeId })
      .describe('Deletes a node, like `DELETE …/nodes/{node_id}/`.'),
    z.object({ op: z.literal('create_edge'), edge: newEdge }).describe('Creates an edge, like `POST …/edges/`.'),
    z
      .object({ op: z.literal('update_edge'), edge_id: edgeId, changes: edgeChanges })
      .describe('Changes an edge, like `PATCH …/edges/{edge_id}/`.'),
    z
      .object({ op: z.literal('delete_edge'), edge_id: edgeId })
      .describe('Deletes an edge, like `DELETE …/edges/{edge_id}/`.'),
  ]),
  { description: 'One change of a graph.' },
);
/** One operation in a request. */
export type OperationBody = z.output<typeof operation>;

/** A list of operations on a version of the graph. */
export const graphRequest = named(
  'GraphRequest',
  z.object({
    version: z.int().positive().describe('The version of the workflow on which the operations are based.'),
    operations: z
      .array(operation)
      // A client that lays out a graph sends one operation per node, and a workflow has at most 2,000 nodes.
      .max(2000)
      .describe(
        'Applied in this order, all or none. Each operation is applied to the graph that the previous ones produce.',
      ),
    request_id: z
      .uuid()
      .optional()
      .describe(
        'A new UUID for each request. If the answer is lost, the same request can be sent again: when it was already applied, it is answered with the same version and results, and not applied twice.',
      ),
  }),
  { description: 'A list of operations on a version of a graph.' },
);

/** The result of a list of operations. */
export const graphAnswer = named(
  'GraphAnswer',
  z.object({
    version: z.int().describe('The new version of the workflow.'),
    results: z
      .array(
        z.object({
          op: z.string(),
          node: node
            .nullable()
            .describe('The node that the operation created or changed; null for any other operation.'),
          edge: edge
            .nullable()
            .describe('The edge that the operation created or changed; null for any other operation.'),
        }),
      )
      .describe('One result per operation, in the same order.'),
  }),
  {
    description: 'The result of a list of operations.',
    example: { version: 5, results: [{ op: 'update_node', node: { ...nodeExample, position_y: 120 }, edge: null }] },
  },
);

const conflictExample = {
  detail: [
    {
      type: 'conflict',
      loc: ['body', 'operations', 0, 'node', 'node_id'],
      msg: "Node with id 'greet' already exists.",
    },
  ],
};

/** The body of a 409: the current graph, the operation that conflicts, or another error. */
export const graphConflict = named(
  'GraphConflict',
  z.union([staleBody, z.object({ detail: z.array(fieldIssue) }), errorBody]),
  { description: 'The current graph, or the operation that conflicts.', example: conflictExample },
);

/** The result of one operation, in its JSON form. */
export function presentResult(
  op: string,
  object: Node | Edge | null,
  schedules: SchedulesById,
): z.input<typeof graphAnswer>['results'][number] {
  if (object === null) return { op, node: null, edge: null };
  return 'nodeId' in object
    ? { op, node: presentNode(object, schedules.get(object.id) ?? null), edge: null }
    : { op, node: null, edge: presentEdge(object) };
}
