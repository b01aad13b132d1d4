import { camelKeys, edge, edgeChanges, edgeList, newEdge, presentEdge } from '@millrace/contract';
import type { Edge, Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Edges } from '../../../services/workflows/edges.ts';
import { numberParameter } from '../../openapi/path-parameters.ts';
import { addRoute, type Caller, pathId } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface EdgeRoutes {
  readonly edges: Edges;
  readonly access: WorkflowAccess;
}

const tag = 'Edges';
const collection = '/api/v1/workflows/:slug/edges/';
const item = `${collection}:edge_id/`;
const params = { edge_id: numberParameter('The edge, by its `id`.') };

/** The endpoints of a workflow's edges. */
export function addEdges(app: FastifyInstance, { edges, access }: EdgeRoutes): void {
  async function loadEdge(
    caller: Caller,
    params: Readonly<Record<string, string>>,
  ): Promise<{ readonly workflow: Workflow; readonly found: Edge }> {
    const workflow = await access.forWriting(caller, params);
    return { workflow, found: await edges.find(workflow, pathId(params.edge_id)) };
  }

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listEdges',
    summary: 'Lists all edges of a workflow',
    tag,
    access: 'reader',
    success: { status: 200, schema: edgeList },
    load: access.forReading,
    handle: async ({ loaded }) => (await edges.list(loaded)).map(presentEdge),
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: 'createEdge',
    summary: 'Connects two nodes',
    tag,
    access: 'editor',
    body: newEdge,
    examples: [{ source_node_id: 'hook', target_node_id: 'greet' }],
    success: { status: 201, schema: edge },
    errors: [409],
    load: access.forWriting,
    handle: async ({ caller, loaded, body }) => presentEdge(await edges.create(caller.user, loaded, camelKeys(body))),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    params,
    operationId: 'updateEdge',
    summary: 'Changes an edge',
    tag,
    access: 'editor',
    body: edgeChanges,
    examples: [{ priority: 1 }],
    success: { status: 200, schema: edge },
    errors: [409],
    load: loadEdge,
    handle: async ({ caller, loaded: { workflow, found }, body }) =>
      presentEdge(await edges.update(caller.user, workflow, { id: found.id, changes: camelKeys(body) })),
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    params,
    operationId: 'deleteEdge',
    summary: 'Deletes an edge',
    tag,
    access: 'editor',
    success: { status: 204, schema: null },
    errors: [409],
    load: loadEdge,
    handle: ({ caller, loaded: { workflow, found } }) => edges.remove(caller.user, workflow, found.id),
  });
}
