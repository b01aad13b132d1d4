import { camelKeys, newNode, node, nodeChanges, nodeList, presentNode } from '@millrace/contract';
import type { Node, Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Nodes } from '../services/nodes.ts';
import { addRoute, type Caller } from './route.ts';
import type { WorkflowAccess } from './workflow-access.ts';

interface NodeRoutes {
  readonly nodes: Nodes;
  readonly access: WorkflowAccess;
}

interface Found {
  readonly workflow: Workflow;
  readonly found: Node;
}

type Params = Readonly<Record<string, string>>;

const tag = 'Nodes';
const collection = '/api/v1/workflows/:slug/nodes/';
const item = `${collection}:node_id/`;

/** The endpoints of a workflow's nodes. */
export function addNodes(app: FastifyInstance, { nodes, access }: NodeRoutes): void {
  async function find(workflow: Workflow, { node_id: nodeId = '' }: Params): Promise<Found> {
    return { workflow, found: await nodes.find(workflow, nodeId) };
  }
  const forReading = async (caller: Caller, params: Params) => find(await access.forReading(caller, params), params);
  const forWriting = async (caller: Caller, params: Params) => find(await access.forWriting(caller, params), params);

  addRoute(app, {
    method: 'GET',
    path: collection,
    summary: 'Lists all nodes of a workflow',
    tag,
    success: { status: 200, schema: nodeList },
    load: access.forReading,
    handle: async ({ loaded }) => (await nodes.list(loaded)).map(presentNode),
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    summary: 'Adds a node',
    tag,
    body: newNode,
    examples: [
      { node_id: 'hook', component_type: 'trigger_webhook' },
      {
        node_id: 'greet',
        component_type: 'template',
        config: { extra_config: { template: 'Hello, {{ trigger.payload.name }}!' } },
      },
    ],
    success: { status: 201, schema: node },
    errors: [403, 409],
    load: access.forWriting,
    handle: async ({ caller, loaded, body }) => presentNode(await nodes.create(caller.user, loaded, camelKeys(body))),
  });
  addRoute(app, {
    method: 'GET',
    path: item,
    summary: 'Reads a node',
    tag,
    success: { status: 200, schema: node },
    load: forReading,
    handle: async ({ loaded }) => presentNode(loaded.found),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    summary: 'Changes a node',
    tag,
    body: nodeChanges,
    examples: [{ label: 'Greets', position_x: 240 }],
    success: { status: 200, schema: node },
    errors: [403, 409],
    load: forWriting,
    handle: async ({ caller, loaded: { workflow, found }, body }) => {
      const change = { nodeId: found.nodeId, changes: camelKeys(body) };
      return presentNode(await nodes.update(caller.user, workflow, change));
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    summary: 'Removes a node and its edges',
    tag,
    success: { status: 204, schema: null },
    errors: [403, 409],
    load: forWriting,
    handle: ({ caller, loaded: { workflow, found } }) => nodes.remove(caller.user, workflow, found.nodeId),
  });
}
