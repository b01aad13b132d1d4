import { type GraphIssue, isError } from '@millrace/core';
import { z } from 'zod';
import { issue } from '../base/issue.ts';
import { named } from '../base/named.ts';

type IssueBody = z.infer<typeof issue>;

/** The result of validating a workflow. */
export const validation = named(
  'Validation',
  z.object({
    valid: z.boolean().describe('True if no issue is an error.'),
    errors: z.array(z.string()).describe('The messages of all errors.'),
    issues: z.array(issue),
  }),
  { description: 'The result of validating a workflow.', example: { valid: true, errors: [], issues: [] } },
);
type ValidationBody = z.infer<typeof validation>;

/** One issue, as the API shows it. */
export function presentIssue({ code, severity, nodeId, edgeId, field, message, hint }: GraphIssue): IssueBody {
  return {
    code,
    severity,
    ...(nodeId !== undefined && { node_id: nodeId }),
    ...(edgeId !== undefined && { edge_id: edgeId }),
    ...(field !== undefined && { field }),
    message,
    ...(hint !== undefined && { hint }),
  };
}

/** The result of validating a workflow, as the API shows it. */
export function presentValidation(issues: readonly GraphIssue[]): ValidationBody {
  const errors = issues.filter(isError);
  return {
    valid: errors.length === 0,
    errors: errors.map(({ message }) => message),
    issues: issues.map(presentIssue),
  };
}
