import { formatInstant, type Graph, hasUnpublishedChanges, type Workflow, workflowFields } from '@millrace/core';
import { z } from 'zod';
import { jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';
import { maxBatch, pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';
import { edge, presentEdge } from './edge.ts';
import { node, nodeExample, presentNodes, type SchedulesById } from './node.ts';

const fields = {
  ...workflowFields,
  error_handler_workflow_id: z
    .int()
    .positive()
    .nullable()
    .describe('The workflow that is started when an execution of this one fails.'),
  input_schema: jsonObject.nullable().describe('The JSON Schema (2020-12) of the trigger payload.'),
  output_schema: jsonObject.nullable().describe('The JSON Schema (2020-12) of the output.'),
};

/** The example of a workflow in the document. */
export const workflowExample = {
  id: 5,
  name: 'Orders',
  slug: 'orders',
  description: 'Greets every customer who orders.',
  is_active: true,
  is_public: false,
  is_default: false,
  mcp: false,
  tags: ['shop'],
  error_handler_workflow_id: null,
  input_schema: null,
  output_schema: null,
  node_count: 2,
  edge_count: 1,
  version: 4,
  published_version: null,
  has_unpublished_changes: false,
  max_execution_seconds: 900,
  concurrency: null,
  concurrency_key: null,
  budget: null,
  priority: 0,
  created_at: '2026-01-31T12:00:00.000000',
  updated_at: '2026-01-31T12:30:00.000000',
};

/** A workflow without its graph. */
export const workflow = named(
  'Workflow',
  z.object({
    ...fields,
    id: z.int(),
    slug: z.string(),
    error_handler_workflow_id: z.int().nullable(),
    node_count: z.int(),
    edge_count: z.int(),
    version: z.int().describe('Increases with each change of the graph.'),
    published_version: z
      .int()
      .nullable()
      .describe('The version that triggers run; null if the workflow is live: then they run the newest version.'),
    has_unpublished_changes: z.boolean().describe('Whether the newest version is not the published one.'),
    created_at: timestamp,
    updated_at: timestamp,
  }),
  { description: 'A workflow without its graph.', example: workflowExample },
);
type WorkflowBody = z.infer<typeof workflow>;

/** A workflow with its nodes and edges. */
export const workflowDetail = named('WorkflowDetail', workflow.extend({ nodes: z.array(node), edges: z.array(edge) }), {
  description: 'A workflow with its nodes and edges.',
  example: { ...workflowExample, nodes: [nodeExample], edges: [] },
});

/** A workflow with its graph in its JSON form. */
export type WorkflowDetailBody = z.infer<typeof workflowDetail>;

export const workflowList = pageOf('WorkflowList', workflow);

/** A workflow to create. */
export const newWorkflow = named(
  'NewWorkflow',
  z.object({
    ...fields,
    description: fields.description.default(''),
    is_active: fields.is_active.default(true),
    is_public: fields.is_public.default(false),
    is_default: fields.is_default.default(false),
    mcp: fields.mcp.default(false),
    tags: fields.tags.default(null),
    error_handler_workflow_id: fields.error_handler_workflow_id.default(null),
    input_schema: fields.input_schema.default(null),
    output_schema: fields.output_schema.default(null),
    max_execution_seconds: fields.max_execution_seconds.default(900),
    concurrency: fields.concurrency.default(null),
    concurrency_key: fields.concurrency_key.default(null),
    budget: fields.budget.default(null),
    priority: fields.priority.default(0),
  }),
  { description: 'A workflow to create.' },
).register(furtherKeys, { shown: fieldsOf(workflow) });

/** What to change in a workflow. */
export const workflowChanges = named('WorkflowChanges', z.object(fields).partial(), {
  description: 'Changes to a workflow.',
}).register(furtherKeys, { shown: fieldsOf(workflowDetail) });

/** Workflows to delete. */
export const workflowBatch = named(
  'WorkflowBatch',
  z.object({
    slugs: z.array(z.string()).max(maxBatch).describe('Unknown slugs, and those of other owners, are ignored.'),
  }),
  { description: 'Workflows to delete.' },
);

/** A workflow as the API shows it. */
export function presentWorkflow(workflow: Workflow): WorkflowBody {
  return {
    id: workflow.id,
    name: workflow.name,
    slug: workflow.slug,
    description: workflow.description,
    is_active: workflow.isActive,
    is_public: workflow.isPublic,
    is_default: workflow.isDefault,
    mcp: workflow.mcp,
    tags: workflow.tags === null ? null : [...workflow.tags],
    error_handler_workflow_id: workflow.errorHandlerWorkflowId,
    input_schema: workflow.inputSchema,
    output_schema: workflow.outputSchema,
    node_count: workflow.nodeCount,
    edge_count: workflow.edgeCount,
    version: workflow.version,
    published_version: workflow.publishedVersion,
    has_unpublished_changes: hasUnpublishedChanges(workflow),
    max_execution_seconds: workflow.maxExecutionSeconds,
    concurrency: workflow.concurrency,
    concurrency_key: workflow.concurrencyKey,
    budget: workflow.budget,
    priority: workflow.priority,
    created_at: formatInstant(workflow.createdAt),
    updated_at: formatInstant(workflow.updatedAt),
  };
}

/** The graph in the detail of a workflow. */
export function presentGraph({ nodes, edges }: Graph, schedules: SchedulesById) {
  return { nodes: presentNodes(nodes, schedules), edges: edges.map(presentEdge) };
}

/** A workflow with its graph, as the API shows it. */
export function presentDetail(workflow: Workflow, graph: Graph, schedules: SchedulesById): WorkflowDetailBody {
  return { ...presentWorkflow(workflow), ...presentGraph(graph, schedules) };
}
