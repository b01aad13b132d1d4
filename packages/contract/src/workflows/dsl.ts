import { type DslCheck, type DslIssue, isError, type Workflow, workflowFields } from '@millrace/core';
import { z } from 'zod';
import { issue, presentIssue } from './validation.ts';
import { presentWorkflow, workflow } from './workflow.ts';

const yaml = z.string().describe('A workflow as YAML text: docs/dsl.md.');

/** A text to check. */
export const dslText = z.object({ yaml_str: yaml });

/** A text to store. */
export const dslImport = z.object({
  yaml_str: yaml,
  slug: workflowFields.slug.optional().describe('The workflow to make or to change, instead of the slug in the text.'),
  publish: z
    .boolean()
    .optional()
    .describe('Publish it as well, in one step; then a text with errors is refused and nothing is stored.'),
});

/** A workflow as a text. */
export const dslExport = z
  .object({ yaml_str: yaml })
  .register(z.globalRegistry, { id: 'WorkflowText', description: 'A workflow as YAML text.' });

const dslIssue = issue.extend({
  line: z.int().describe('Where in the text, counted from 1.'),
  column: z.int().describe('Where in the line, counted from 1.'),
});
type DslIssueBody = z.infer<typeof dslIssue>;

/** What a check of a text found. */
export const dslValidation = z
  .object({
    valid: z.boolean().describe('True when no issue is an error.'),
    errors: z.array(z.string()).describe('The messages of all errors.'),
    issues: z.array(dslIssue).describe('In the order of the text; of very many only the first.'),
    node_count: z.int(),
    edge_count: z.int(),
  })
  .register(z.globalRegistry, { id: 'DslValidation', description: 'What a check of a YAML text found.' });
type DslValidationBody = z.infer<typeof dslValidation>;

function presentDslIssue(found: DslIssue): DslIssueBody {
  return { ...presentIssue(found), line: found.line, column: found.column };
}

/** A workflow that was made from a text, or changed to what it says. */
export const importedWorkflow = workflow
  .extend({ issues: z.array(dslIssue).describe('What is wrong with it, or at least odd.') })
  .register(z.globalRegistry, { id: 'ImportedWorkflow', description: 'A workflow that was stored from a text.' });
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
