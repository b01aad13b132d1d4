import type { Tool } from '@millrace/core';
import { z } from 'zod';
import { jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';

/** What a node offers to agents. */
export const nodeTools = named(
  'NodeTools',
  z.object({
    tools: z.array(
      z.object({
        name: z.string().describe('The name by which the model calls it.'),
        description: z.string(),
        parameters: jsonObject.describe('The JSON Schema of the arguments.'),
        effect: z
          .enum(['pure', 'idempotent', 'keyed', 'once'])
          .describe('How a call may be repeated after a crash: freely, with its key, or not at all.'),
        target: z.string().nullable().describe('Its name at the MCP server; null for a node with one tool of its own.'),
      }),
    ),
    digest: z
      .string()
      .nullable()
      .describe('Identifies the tools of an MCP server, for `pinned`; null for other nodes, and without an answer.'),
    problem: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why there are no tools, or why an agent does not start with them.'),
  }),
  {
    description: 'What a node offers to agents now.',
    example: {
      tools: [
        {
          name: 'wiki__search',
          description: 'Searches the wiki.',
          parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
          effect: 'once',
          target: 'search',
        },
      ],
      digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      problem: null,
    },
  },
);

/** One tool, as the API shows it. */
export function presentTool({ name, description, parameters, effect, target }: Tool) {
  return { name, description, parameters, effect, target: target ?? null };
}
