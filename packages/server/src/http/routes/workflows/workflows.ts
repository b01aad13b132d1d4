import {
  camelKeys,
  newWorkflow,
  pageQuery,
  presentGraph,
  presentWorkflow,
  workflow,
  workflowBatch,
  workflowChanges,
  workflowDetail,
  workflowList,
} from '@millrace/contract';
import type { Graph, Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { hasSchedules, type Schedules } from '../../../services/triggers/schedules.ts';
import type { GraphViews } from '../../../services/workflows/graph-views.ts';
import type { Workflows } from '../../../services/workflows/workflows.ts';
import { jsonInPieces } from '../../plumbing/json-in-pieces.ts';
import { addRoute, type Caller, JsonText } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface WorkflowRoutes {
  readonly workflows: Workflows;
  readonly graphViews: GraphViews;
  readonly schedules: Schedules;
  readonly access: WorkflowAccess;
}

const tag = 'Workflows';
const collection = '/api/v1/workflows/';
const item = `${collection}:slug/`;

/** The endpoints of workflows. */
export function addWorkflows(app: FastifyInstance, { workflows, graphViews, schedules, access }: WorkflowRoutes): void {
  const graphTexts = new GraphTexts((graph) => jsonInPieces(presentGraph(graph, new Map())));

  async function graphText(loaded: Workflow, { user }: Caller): Promise<string> {
    const graph = await graphViews.current(user, loaded);
    // The schedules in the JSON of a graph change over time.
    if (!hasSchedules(graph)) return graphTexts.of(graph);
    return jsonInPieces(presentGraph(graph, await schedules.of(loaded, graph, user)));
  }

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listWorkflows',
    summary: "Lists the caller's workflows, newest first",
    tag,
    access: 'user',
    query: pageQuery,
    success: { status: 200, schema: workflowList },
    handle: async ({ caller, query }) => {
      const { items, total } = await workflows.list(caller.user, query);
      return { items: items.map(presentWorkflow), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: 'createWorkflow',
    summary: 'Creates a workflow',
    tag,
    access: 'user',
    body: newWorkflow,
    examples: [{ name: 'Orders', slug: 'orders', description: 'Greets every customer who orders.' }],
    success: { status: 201, schema: workflow },
    errors: [409],
    handle: async ({ caller, body }) => presentWorkflow(await workflows.create(caller.user, camelKeys(body))),
  });
  addRoute(app, {
    method: 'POST',
    path: `${collection}batch-delete/`,
    operationId: 'deleteWorkflows',
    summary: 'Deletes several workflows',
    tag,
    access: 'user',
    body: workflowBatch,
    examples: [{ slugs: ['old-orders', 'older-orders'] }],
    success: { status: 204, schema: null },
    handle: ({ caller, body }) => workflows.removeAll(caller.user, body.slugs),
  });
  addRoute(app, {
    method: 'GET',
    path: item,
    operationId: 'getWorkflow',
    summary: 'Reads a workflow with its nodes and edges',
    tag,
    access: 'reader',
    success: { status: 200, schema: workflowDetail },
    load: access.forReading,
    handle: async ({ caller, loaded }) => {
      const own = JSON.stringify(presentWorkflow(loaded));
      // Both are objects: without the closing brace of one and the opening brace of the other, they form one object.
      return new JsonText(`${own.slice(0, -1)},${(await graphText(loaded, caller)).slice(1)}`);
    },
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    operationId: 'updateWorkflow',
    summary: 'Changes a workflow',
    tag,
    access: 'editor',
    body: workflowChanges,
    examples: [{ name: 'All orders', tags: ['shop'] }],
    success: { status: 200, schema: workflow },
    errors: [409],
    load: access.forWriting,
    handle: async ({ caller, loaded, body }) =>
      presentWorkflow(await workflows.update(caller.user, loaded, camelKeys(body))),
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    operationId: 'deleteWorkflow',
    summary: 'Deletes a workflow; its running executions are cancelled',
    tag,
    access: 'owner',
    success: { status: 204, schema: null },
    load: access.forOwning,
    handle: ({ loaded }) => workflows.remove(loaded),
  });
}

/** A cache of the JSON of graphs: reading a workflow with many nodes costs no more than reading a small one. */
class GraphTexts {
  readonly #write: (graph: Graph) => Promise<string>;
  // A graph object never changes, so its JSON is cached as long as the object exists.
  readonly #texts = new WeakMap<Graph, Promise<string>>();

  constructor(write: (graph: Graph) => Promise<string>) {
    this.#write = write;
  }

  of(graph: Graph): Promise<string> {
    const known = this.#texts.get(graph);
    if (known !== undefined) return known;
    const text = this.#write(graph);
    this.#texts.set(graph, text);
    return text;
  }
}
