import { type GraphIssue, isError } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';

/** One thing that is wrong with a workflow. */
export const issue = named(
  'Issue',
  z.object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    node_id: z.string().optional(),
    edge_id: z.int().optional(),
    field: z.string().optional().describe('Path in the config of the node.'),
    message: z.string(),
  }),
  {
    description: 'One thing that is wrong with a workflow.',
    example: {
      code: 'missing_connection',
      severity: 'error',
      node_id: 'writer',
      message: "Node 'writer' is missing required 'model' connection",
    },
  },
);
type IssueBody = z.infer<typeof issue>;

/** What a check of a whole workflow found. */
export const validation = named(
  'Validation',
  z.object({
    valid: z.boolean().describe('True when no issue is an error.'),
    errors: z.array(z.string()).describe('The messages of all errors.'),
    issues: z.array(issue),
  }),
  { description: 'What a check of a whole workflow found.', example: { valid: true, errors: [], issues: [] } },
);
type ValidationBody = z.infer<typeof validation>;

/** One thing that is wrong, as the API shows it. */
export function presentIssue({ code, severity, nodeId, edgeId, field, message }: GraphIssue): IssueBody {
  return {
    code,
    severity,
    ...(nodeId !== undefined && { node_id: nodeId }),
    ...(edgeId !== undefined && { edge_id: edgeId }),
    ...(field !== undefined && { field }),
    message,
  };
}

/** What a check of a whole workflow found, as the API shows it. */
export function presentValidation(issues: readonly GraphIssue[]): ValidationBody {
  const errors = issues.filter(isError);
  return {
    valid: errors.length === 0,
    errors: errors.map(({ message }) => message),
    issues: issues.map(presentIssue),
  };
}
