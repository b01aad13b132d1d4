import { type Component, dataTypes } from '@millrace/core';
import { z } from 'zod';
import { jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';

const output = z.object({ name: z.string(), data_type: z.enum(dataTypes), description: z.string() });
const input = output.extend({ required: z.boolean() });

const componentShape = z.object({
  component_type: z.string(),
  label: z.string(),
  category: z.string(),
  description: z.string().describe('Markdown.'),
  icon: z.string().describe('The name of a lucide icon.'),
  color: z.string().describe('`#rrggbb`'),
  inputs: z.array(input),
  outputs: z.array(output),
  sub_inputs: z.array(input).describe('The slots for labelled edges: `model`, `tools`, `memory`, `output_parser`.'),
  executable: z.boolean(),
  effect: z.enum(['pure', 'idempotent', 'keyed', 'once']).describe('How a step may be repeated after a crash.'),
  version: z.int(),
  config_schema: jsonObject.describe('JSON Schema (2020-12) of `extra_config`.'),
});
type ComponentBody = z.infer<typeof componentShape>;

const componentExample: ComponentBody = {
  component_type: 'template',
  label: 'Template',
  category: 'Output',
  description: 'Fills a text with values.',
  icon: 'file-text',
  color: '#6366f1',
  inputs: [],
  outputs: [{ name: 'text', data_type: 'text', description: 'The text.' }],
  sub_inputs: [],
  executable: true,
  effect: 'pure',
  version: 1,
  config_schema: { type: 'object', properties: { template: { type: 'string' } } },
};

/** A node type in the catalogue. */
const component = named('Component', componentShape, {
  description: 'A node type.',
  example: componentExample,
});

/** All node types, by name. */
export const componentCatalogue = named('ComponentCatalogue', z.record(z.string(), component), {
  description: 'All node types, by name.',
  example: { template: componentExample },
});

type Port = Component['outputs'][number];
type InputPort = Component['inputs'][number];

function presentOutput({ name, dataType, description }: Port): ComponentBody['outputs'][number] {
  return { name, data_type: dataType, description };
}

function presentInput(port: InputPort): ComponentBody['inputs'][number] {
  return { ...presentOutput(port), required: port.required };
}

/** A node type in its JSON form. @param configSchema the schema of its `extra_config`, with all keys */
export function presentComponent(
  component: Component<never>,
  configSchema: ComponentBody['config_schema'],
): ComponentBody {
  return {
    component_type: component.type,
    label: component.label,
    category: component.category,
    description: component.description,
    icon: component.icon,
    color: component.color,
    inputs: component.inputs.map(presentInput),
    outputs: component.outputs.map(presentOutput),
    sub_inputs: component.subInputs.map(presentInput),
    executable: component.run !== undefined,
    effect: component.effect,
    version: component.version,
    config_schema: configSchema,
  };
}
