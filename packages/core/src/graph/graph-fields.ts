import { z } from 'zod';
import { budgetField } from './budget.ts';
import { edgeLabels, edgeTypes } from './graph.ts';

/** The schema of each field of a workflow, for the API and for the YAML form. */
export const workflowFields = {
  name: z.string().max(200).regex(/\S/, 'must not be empty').describe('The display name.'),
  slug: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/,
      'must be 1 to 100 letters, digits, - or _, and begin and end with a letter or digit',
    )
    .refine((text) => !reservedSlugs.has(text), 'is a reserved word')
    .describe('The unique name in URLs.'),
  description: z.string().max(10_000),
  is_active: z.boolean().describe('Whether its triggers fire.'),
  is_public: z.boolean().describe('Whether every user may read it and call its webhook.'),
  is_default: z
    .boolean()
    .describe('Whether it receives messages that name no workflow; at most one workflow per owner.'),
  mcp: z.boolean().describe('Whether MCP clients may call it as a tool, at `/mcp`.'),
  tags: z.array(z.string().max(50)).max(50).nullable(),
  // One day: longer tasks should pause, and a pause does not count as one long step.
  max_execution_seconds: z.int().min(1).max(86_400).describe('The maximum duration of an execution.'),
  concurrency: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .describe('The maximum number of executions that run at the same time; others are queued. Null for no limit.'),
  concurrency_key: z
    .string()
    .min(1)
    .max(1000)
    .nullable()
    .describe(
      'Text with expressions over `trigger` and `input`, e.g. `{{ trigger.payload.customer }}`. The limit applies to each value separately.',
    ),
  budget: budgetField,
  priority: z.int().min(-100).max(100).describe('Queued executions with a higher priority start first. Default: 0.'),
};

/** Words that are paths of their own below `/api/v1/workflows/`. */
const reservedSlugs: ReadonlySet<string> = new Set(['node-types', 'batch-delete', 'validate-dsl', 'import']);

/** The schema of each field of a node; its component checks its config. */
export const nodeFields = {
  node_id: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,254}$/,
      'must begin with a letter or _, and contain only letters, digits and _, at most 255',
    )
    .describe('The name that edges and expressions use; unique in its workflow.'),
  label: z.string().max(200).nullable().describe('The name of the node on the canvas.'),
  // The range of 32-bit integers: no canvas is that large.
  position: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1),
  is_entry_point: z.boolean(),
  interrupt_before: z.boolean(),
  interrupt_after: z.boolean(),
  reference: z.int().positive().nullable(),
};

/** A node's name in an edge: the node need not exist yet. */
const endpoint = z.string().max(255);

/** The schema of each field of an edge. */
export const edgeFields = {
  source_node_id: endpoint.min(1),
  // Whether it may be empty depends on the edge's type, which has its own message.
  target_node_id: endpoint,
  edge_type: z
    .enum(edgeTypes)
    .describe('`direct`: data flows; `conditional`: data flows if a switch takes the route `condition_value`.'),
  edge_label: z
    .enum(edgeLabels)
    .describe('Empty for data; `llm`, `tool`, `memory`, `output_parser`, `loop_body`, `loop_return`, or `error`.'),
  condition_mapping: z
    .record(z.string().max(1000), endpoint)
    // A switch with more routes than this is a table, which belongs in the data.
    .refine((mapping) => Object.keys(mapping).length <= 200, 'may have at most 200 entries')
    .nullable()
    .describe('Legacy: routes and the nodes they lead to; `__end__` ends the branch.'),
  condition_value: z.string().max(1000).describe('The route for which this edge is taken.'),
  priority: z.int().describe('Of several edges, the one with the highest priority comes first.'),
};

/** A new edge: omitted fields have defaults. */
export const edgeDraft = z.object({
  ...edgeFields,
  edge_type: edgeFields.edge_type.default('direct'),
  edge_label: edgeFields.edge_label.default(''),
  condition_mapping: edgeFields.condition_mapping.default(null),
  condition_value: edgeFields.condition_value.default(''),
  priority: edgeFields.priority.default(0),
});
