import { z } from 'zod';
import { named } from './named.ts';

/** One problem of a workflow. */
export const issue = named(
  'Issue',
  z.object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    node_id: z.string().optional(),
    edge_id: z.int().optional(),
    field: z.string().optional().describe('The path in the config of the node.'),
    message: z.string(),
    hint: z.string().optional().describe('How to fix it, where the message does not say so.'),
  }),
  {
    description: 'One problem of a workflow.',
    example: {
      code: 'missing_connection',
      severity: 'error',
      node_id: 'writer',
      message: "Node 'writer' is missing required 'model' connection",
      hint: "Connect a node of type 'ai_model' to it by an edge labelled 'llm'.",
    },
  },
);
