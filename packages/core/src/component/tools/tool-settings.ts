import { z } from 'zod';
import { ui } from '../ui-hint.ts';
import type { ToolOffer } from './tool.ts';

/** The names that both protocols of models accept. */
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Characters of a description: all tools of an agent are sent with every call of its model. */
const maxDescription = 1024;

/** How a node offers itself to the agents that it is connected to by an edge labelled `tool`. */
const toolSettings = z.strictObject({
  name: z
    .string()
    .regex(toolName, 'must be 1 to 64 letters, digits, _ or -')
    .describe('The name by which the model calls it. Default: the id of the node.')
    .meta({ examples: ['find_person'] })
    .optional(),
  description: z
    .string()
    .min(1)
    .max(maxDescription)
    .describe('What it does and when to use it, for the model. Default: the description of its type.')
    .meta({ ...ui({ widget: 'markdown' }), examples: ['Finds a person by id.'] })
    .optional(),
  parameters: z
    .record(z.string(), z.json())
    .describe(
      'A JSON Schema of the arguments. Expressions in the config read them as `args`. Default: the keys that the config leaves open.',
    )
    .meta({
      ...ui({ widget: 'json' }),
      examples: [{ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }],
    })
    .optional(),
  asks: z
    .boolean()
    .describe('Whether a person approves each call.')
    .meta({ default: false, examples: [true] })
    .optional(),
  untrusted: z
    .boolean()
    .describe('Whether people outside write what it returns. The `guard` of an agent reads this.')
    .meta({ examples: [true] })
    .optional(),
});

/** Of a node that offers several tools, whose names, descriptions and parameters come from elsewhere. */
const severalToolsSettings = toolSettings.pick({ asks: true, untrusted: true });

export type ToolSettings = z.infer<typeof toolSettings>;

/** The key of a node's `extra_config` that holds them, for types that can be tools. */
export const toolKey = z.strictObject({
  tool: toolSettings
    .describe('How agents see the node as a tool.')
    .meta({ examples: [{ description: 'Finds a person by id.' }] })
    .optional(),
});

const severalToolsKey = z.strictObject({
  tool: severalToolsSettings
    .describe('How agents see the tools of the node.')
    .meta({ examples: [{ asks: true }] })
    .optional(),
});

/** The same for nodes of a type. */
export function toolKeyOf({ tool }: { readonly tool?: Pick<ToolOffer, 'list'> | undefined }) {
  return tool?.list === undefined ? toolKey : severalToolsKey;
}
