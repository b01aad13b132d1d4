import {
  type DslCheck,
  type DslIssue,
  type Graph,
  isError,
  isSameJson,
  type Workflow,
  workflowFields,
} from '@millrace/core';
import { z } from 'zod';
import { issue } from '../base/issue.ts';
import { named } from '../base/named.ts';
import { edge, presentEdge } from './edge.ts';
import { node, presentNodes } from './node.ts';
import { presentIssue } from './validation.ts';
import { presentWorkflow, workflow, workflowExample } from './workflow.ts';

const yaml = z.string().describe('A workflow as YAML text, as described in docs/dsl.md.');

/** A text to check. */
export const dslText = named('WorkflowTextCheck', z.object({ yaml_str: yaml }), {
  description: 'A workflow as YAML text, to check.',
});

/** A text to store. */
export const dslImport = named(
  'WorkflowImport',
  z.object({
    yaml_str: yaml,
    slug: workflowFields.slug
      .optional()
      .describe('The slug of the workflow to create or change, instead of the slug in the text.'),
    publish: z
      .boolean()
      .optional()
      .describe(
        'Whether to publish the workflow in the same transaction. A text with errors is then rejected, and nothing is stored.',
      ),
    must_be_new: z.boolean().optional().describe('Whether the import is rejected with 409 if a workflow has the slug.'),
    is_active: z.boolean().optional().describe('Replaces `is_active` of the text.'),
  }),
  { description: 'A workflow as YAML text, to store.' },
);

/** A workflow as a text. */
export const dslExport = named('WorkflowText', z.object({ yaml_str: yaml }), {
  description: 'A workflow as YAML text.',
  example: { yaml_str: 'name: Greeting\nslug: greeting\nnodes:\n  - {id: start, type: trigger_manual}\n' },
});

const dslIssue = named(
  'TextIssue',
  issue.extend({
    line: z.int().describe('The line in the text, counted from 1.'),
    column: z.int().describe('The column in the line, counted from 1.'),
  }),
  { description: 'One problem of a YAML text.' },
);
type DslIssueBody = z.infer<typeof dslIssue>;

/** The result of checking a text. */
export const dslValidation = named(
  'DslValidation',
  z.object({
    valid: z.boolean().describe('True if no issue is an error.'),
    errors: z.array(z.string()).describe('The messages of all errors.'),
    issues: z.array(dslIssue).describe('In the order of the text; if there are very many, only the first ones.'),
    node_count: z.int(),
    edge_count: z.int(),
  }),
  {
    description: 'The result of checking a YAML text.',
    example: { valid: true, errors: [], issues: [], node_count: 1, edge_count: 0 },
  },
);
type DslValidationBody = z.infer<typeof dslValidation>;

function presentDslIssue(found: DslIssue): DslIssueBody {
  return { ...presentIssue(found), line: found.line, column: found.column };
}

/** A workflow that was created or changed from a text. */
export const importedWorkflow = named(
  'ImportedWorkflow',
  workflow.extend({ issues: z.array(dslIssue).describe('Errors and warnings of the stored workflow.') }),
  { description: 'A workflow that was stored from a text.', example: { ...workflowExample, issues: [] } },
);
type ImportedBody = z.infer<typeof importedWorkflow>;

export function presentImported(stored: Workflow, issues: readonly DslIssue[]): ImportedBody {
  return { ...presentWorkflow(stored), issues: issues.map(presentDslIssue) };
}

/** The result of checking a text in its JSON form. */
export function presentDslCheck({ issues, isValid, nodeCount, edgeCount }: DslCheck): DslValidationBody {
  return {
    valid: isValid,
    errors: issues.filter(isError).map(({ message }) => message),
    issues: issues.map(presentDslIssue),
    node_count: nodeCount,
    edge_count: edgeCount,
  };
}

/** The text of a workflow as its editors wrote it. */
export const savedText = named(
  'SavedWorkflowText',
  z.object({
    yaml_str: yaml,
    is_saved: z
      .boolean()
      .describe(
        'True for a text that an editor saved, with its comments. It may be older than the workflow: `canonical` in the answer of `…/text/read/` shows whether it is. False for the text that `…/export/` returns.',
      ),
  }),
  {
    description: 'The text of a workflow as its editors wrote it.',
    example: { yaml_str: 'name: Greeting\nslug: greeting # the old address\nnodes: []\n', is_saved: true },
  },
);

/** What a text would make of a workflow. */
export const textReading = named(
  'WorkflowTextReading',
  z.object({
    ...dslValidation.shape,
    workflow: z
      .object({
        nodes: z.array(node).describe('Their ids are those of the text, counted from 1.'),
        edges: z.array(edge).describe('Their ids are those of the text, counted from 1.'),
        placed: z.array(z.string()).describe('The `node_id` of each node whose position is in the text.'),
        changes: z
          .object(workflow.shape)
          .partial()
          .describe("The workflow's own fields that the text changes, as `PATCH` takes them."),
        canonical: yaml.describe('The text that `…/export/` would return after the changes.'),
      })
      .nullable()
      .describe('Null if the text has errors that prevent storing it.'),
  }),
  {
    description: 'What a text would make of a workflow. Nothing is stored.',
    example: {
      valid: true,
      errors: [],
      issues: [],
      node_count: 0,
      edge_count: 0,
      workflow: {
        nodes: [],
        edges: [],
        placed: [],
        changes: { name: 'Greeting' },
        canonical: 'name: Greeting\nslug: greeting\n',
      },
    },
  },
);
type TextReadingBody = z.infer<typeof textReading>;

interface Reading {
  readonly check: DslCheck;
  /** The workflow that the text was read for. */
  readonly stored: Workflow;
  /** Null if the text has errors that prevent storing it. */
  readonly result: {
    readonly workflow: Workflow;
    readonly graph: Graph;
    readonly placed: ReadonlySet<string>;
    readonly canonical: string;
  } | null;
}

/** What a text would make of a workflow, in its JSON form. */
export function presentTextReading({ check, stored, result }: Reading): TextReadingBody {
  if (result === null) return { ...presentDslCheck(check), workflow: null };
  const { workflow: changed, graph, placed, canonical } = result;
  return {
    ...presentDslCheck(check),
    workflow: {
      nodes: presentNodes(graph.nodes, new Map()),
      edges: graph.edges.map(presentEdge),
      placed: [...placed],
      changes: changesBetween(presentWorkflow(stored), presentWorkflow(changed)),
      canonical,
    },
  };
}

function changesBetween(before: z.infer<typeof workflow>, after: z.infer<typeof workflow>) {
  const changes = Object.entries(after).filter(
    ([key, value]) => !isSameJson(value, before[key as keyof typeof before]),
  );
  return Object.fromEntries(changes) as Partial<z.infer<typeof workflow>>;
}
