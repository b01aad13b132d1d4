import { type DslCheck, type DslIssue, isError, type Workflow, workflowFields } from '@millrace/core';
import { z } from 'zod';
import { issue } from '../base/issue.ts';
import { named } from '../base/named.ts';
import { presentIssue } from './validation.ts';
import { presentWorkflow, workflow, workflowExample } from './workflow.ts';

const yaml = z.string().describe('A workflow as YAML text: docs/dsl.md.');

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
      .describe('The workflow to make or to change, instead of the slug in the text.'),
    publish: z
      .boolean()
      .optional()
      .describe('Publish it as well, in one step; then a text with errors is refused and nothing is stored.'),
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
    line: z.int().describe('Where in the text, counted from 1.'),
    column: z.int().describe('Where in the line, counted from 1.'),
  }),
  { description: 'One thing that is wrong with a YAML text.' },
);
type DslIssueBody = z.infer<typeof dslIssue>;

/** What a check of a text found. */
export const dslValidation = named(
  'DslValidation',
  z.object({
    valid: z.boolean().describe('True when no issue is an error.'),
    errors: z.array(z.string()).describe('The messages of all errors.'),
    issues: z.array(dslIssue).describe('In the order of the text; of very many only the first.'),
    node_count: z.int(),
    edge_count: z.int(),
  }),
  {
    description: 'What a check of a YAML text found.',
    example: { valid: true, errors: [], issues: [], node_count: 1, edge_count: 0 },
  },
);
type DslValidationBody = z.infer<typeof dslValidation>;

function presentDslIssue(found: DslIssue): DslIssueBody {
  return { ...presentIssue(found), line: found.line, column: found.column };
}

/** A workflow that was made from a text, or changed to what it says. */
export const importedWorkflow = named(
  'ImportedWorkflow',
  workflow.extend({ issues: z.array(dslIssue).describe('Errors and warnings of the stored workflow.') }),
  { description: 'A workflow that was stored from a text.', example: { ...workflowExample, issues: [] } },
);
type ImportedBody = z.infer<typeof importedWorkflow>;

export function presentImported(stored: Workflow, issues: readonly DslIssue[]): ImportedBody {
  return { ...presentWorkflow(stored), issues: issues.map(presentDslIssue) };
}

/** What a check of a text found, as the API shows it. */
export function presentDslCheck({ issues, isValid, nodeCount, edgeCount }: DslCheck): DslValidationBody {
  return {
    valid: isValid,
    errors: issues.filter(isError).map(({ message }) => message),
    issues: issues.map(presentDslIssue),
    node_count: nodeCount,
    edge_count: edgeCount,
  };
}
