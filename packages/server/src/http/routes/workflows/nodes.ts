import { camelKeys, newNode, node, nodeChanges, nodeList, presentNode, presentNodes } from '@millrace/contract';
import type { Node, Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Schedules } from '../../../services/triggers/schedules.ts';
import type { Nodes } from '../../../services/workflows/nodes.ts';
import { textParameter } from '../../openapi/path-parameters.ts';
import { addRoute, type Caller } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface NodeRoutes {
  readonly nodes: Nodes;
  readonly schedules: Schedules;
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
const params = { node_id: textParameter('The node, by its `node_id`.') };

const scheduleVerbs = {
  start: { state: 'active', operationId: 'startSchedule', summary: 'Starts a schedule' },
  pause: {
    state: 'paused',
    operationId: 'pauseSchedule',
    summary: 'Pauses a schedule; when started again, an interval keeps its times',
  },
  stop: {
    state: 'stopped',
    operationId: 'stopSchedule',
    summary: 'Stops a schedule; when started again, an interval counts from that time',
  },
} as const;

/** Finds the node of a path in a workflow that the caller may access. */
function finder(nodes: Nodes, load: WorkflowAccess['forReading']) {
  return async (caller: Caller, params: Params): Promise<Found> => {
    const workflow = await load(caller, params);
    return { workflow, found: await nodes.find(caller.user, workflow, params.node_id ?? '') };
  };
}

/** The endpoints of a workflow's nodes. */
export function addNodes(app: FastifyInstance, { nodes, schedules, access }: NodeRoutes): void {
  const present = async ({ user }: Caller, { workflow, found }: Found) =>
    presentNode(found, (await schedules.of(workflow, { nodes: [found] }, user)).get(found.id) ?? null);

  const forReading = finder(nodes, access.forReading);
  const forWriting = finder(nodes, access.forWriting);

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listNodes',
    summary: 'Lists all nodes of a workflow',
    tag,
    access: 'reader',
    success: { status: 200, schema: nodeList },
    load: access.forReading,
    handle: async ({ caller, loaded }) => {
      const found = await nodes.list(caller.user, loaded);
      return presentNodes(found, await schedules.of(loaded, { nodes: found }, caller.user));
    },
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: 'createNode',
    summary: 'Creates a node',
    tag,
    access: 'editor',
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
    errors: [409],
    load: access.forWriting,
    handle: async ({ caller, loaded: workflow, body }) =>
      present(caller, { workflow, found: await nodes.create(caller.user, workflow, camelKeys(body)) }),
  });
  addRoute(app, {
    method: 'GET',
    path: item,
    params,
    operationId: 'getNode',
    summary: 'Reads a node',
    tag,
    access: 'reader',
    success: { status: 200, schema: node },
    load: forReading,
    handle: ({ caller, loaded }) => present(caller, loaded),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    params,
    operationId: 'updateNode',
    summary: 'Changes a node',
    tag,
    access: 'editor',
    body: nodeChanges,
    examples: [{ label: 'Greets', position_x: 240 }],
    success: { status: 200, schema: node },
    errors: [409],
    load: forWriting,
    handle: async ({ caller, loaded: { workflow, found }, body }) => {
      const change = { nodeId: found.nodeId, changes: camelKeys(body) };
      return present(caller, { workflow, found: await nodes.update(caller.user, workflow, change) });
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    params,
    operationId: 'deleteNode',
    summary: 'Deletes a node and its edges',
    tag,
    access: 'editor',
    success: { status: 204, schema: null },
    errors: [409],
    load: forWriting,
    handle: ({ caller, loaded: { workflow, found } }) => nodes.remove(caller.user, workflow, found.nodeId),
  });
  addScheduleVerbs(app, { schedules, access });
}

/** The endpoints that start and stop the schedule of a node. */
function addScheduleVerbs(app: FastifyInstance, { schedules, access }: Omit<NodeRoutes, 'nodes'>): void {
  for (const [verb, { state, operationId, summary }] of Object.entries(scheduleVerbs)) {
    addRoute(app, {
      method: 'POST',
      path: `${item}schedule/${verb}/`,
      params,
      operationId,
      summary,
      tag,
      access: 'editor',
      success: { status: 200, schema: node },
      errors: [400, 409],
      load: async (caller, params) => schedules.find(await access.forWriting(caller, params), params.node_id ?? ''),
      handle: async ({ loaded }) => presentNode(loaded.node, await schedules.setState(loaded, state)),
    });
  }
}
