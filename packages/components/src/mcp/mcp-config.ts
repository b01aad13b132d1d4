import { ui } from '@millrace/core';
import { z } from 'zod';

const effects = ['pure', 'idempotent', 'keyed', 'once'] as const;

/** The name of a tool, as the server calls it. */
const toolName = z.string().min(1).max(128);

export const mcpClientConfig = z.strictObject({
  url: z
    .string()
    .min(1)
    .describe('The address of the server (streamable HTTP), beginning with http:// or https://.')
    .meta({ examples: ['https://tools.example/mcp'] })
    .optional(),
  server: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a name of 1 to 64 letters, digits, _ or -')
    .describe(
      'Instead of `url`, the name of a program that the operator has entered in the file `MILLRACE_MCP_SERVERS`. It runs on the machine of the service.',
    )
    .meta({ examples: ['files'] })
    .optional(),
  tools: z
    .array(toolName)
    .max(1000)
    .describe('The names of the tools that agents get, as the server calls them. Default: all.')
    .meta({ examples: [['search', 'read_page']] })
    .optional(),
  exclude: z
    .array(toolName)
    .max(1000)
    .describe('The names of tools that agents do not get.')
    .meta({ default: [], examples: [['delete_page']] })
    .optional(),
  effects: z
    .record(z.string(), z.enum(effects))
    .describe(
      'How calls of a tool may be repeated after a crash, by its name: `pure` and `idempotent` freely. For all others it is `once`: a call that may have acted is not repeated.',
    )
    .meta({ ...ui({ widget: 'json', advanced: true }), default: {}, examples: [{ search: 'idempotent' }] })
    .optional(),
  pinned: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a digest: 64 hexadecimal digits')
    .describe(
      'The digest of the tools, from the list of tools in the panel of the node. If the server offers other tools or descriptions, agents fail with `mcp_changed`. Default: any.',
    )
    .meta({
      ...ui({ advanced: true }),
      examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    })
    .optional(),
  optional: z
    .boolean()
    .describe('Whether an agent works without these tools if the server does not answer. Otherwise the agent fails.')
    .meta({ ...ui({ advanced: true }), default: false, examples: [true] })
    .optional(),
});

export type McpClientConfig = z.infer<typeof mcpClientConfig>;
