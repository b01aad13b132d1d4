import {
  camelKeys,
  graphAnswer,
  graphConflict,
  graphRequest,
  type OperationBody,
  presentResult,
} from '@millrace/contract';
import type { GraphOperation } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { slices } from '../../../ground/slices.ts';
import type { Schedules } from '../../../services/triggers/schedules.ts';
import type { GraphOperations } from '../../../services/workflows/graph-operations.ts';
import { jsonInPieces } from '../../plumbing/json-in-pieces.ts';
import { addRoute, JsonText } from '../../plumbing/route.ts';
import { staleRejection } from '../../plumbing/stale-rejection.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface GraphRoutes {
  readonly graphOperations: GraphOperations;
  readonly schedules: Schedules;
  readonly access: WorkflowAccess;
}

/** Operations that take some milliseconds to validate, and again to apply. */
const longList = 100;

/** The endpoint that applies many changes of nodes and edges in one transaction. */
export function addGraph(app: FastifyInstance, { graphOperations, schedules, access }: GraphRoutes): void {
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/workflows/:slug/graph/',
    operationId: 'changeGraph',
    summary: 'Applies a list of node and edge operations, all or none',
    tag: 'Graph',
    access: 'editor',
    body: graphRequest,
    examples: [{ version: 1, operations: [{ op: 'update_node', node_id: 'greet', changes: { position_y: 120 } }] }],
    success: { status: 200, schema: graphAnswer },
    rejections: { 409: graphConflict.describe('The version is not the current one, or an operation conflicts.') },
    load: access.forWriting,
    handle: async ({ caller, loaded, body: { version, operations, request_id } }) => {
      // To validate a long list is not divided.
      if (operations.length > longList) await slices.turn();
      const batch = { version, operations: operations.map(operationOf), requestId: request_id ?? null };
      const outcome = await graphOperations.apply(caller.user, loaded, batch);
      if (outcome.kind === 'stale') return staleRejection(schedules, caller.user, { ...outcome, base: version });
      const nodes = outcome.objects.filter((object) => object !== null && 'nodeId' in object);
      const found = await schedules.of(loaded, { nodes }, caller.user);
      const results = operations.map(({ op }, index) => presentResult(op, outcome.objects[index] ?? null, found));
      return new JsonText(await jsonInPieces({ version: outcome.version, results }));
    },
  });
}

function operationOf(body: OperationBody): GraphOperation {
  switch (body.op) {
    case 'create_node':
      return { op: body.op, node: camelKeys(body.node) };
    case 'update_node':
      return { op: body.op, nodeId: body.node_id, changes: camelKeys(body.changes) };
    case 'delete_node':
      return { op: body.op, nodeId: body.node_id };
    case 'create_edge':
      return { op: body.op, edge: camelKeys(body.edge) };
    case 'update_edge':
      return { op: body.op, edgeId: body.edge_id, changes: camelKeys(body.changes) };
    case 'delete_edge':
      return { op: body.op, edgeId: body.edge_id };
  }
}
