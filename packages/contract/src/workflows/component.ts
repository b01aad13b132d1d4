import { type Component, dataTypes } from '@millrace/core';
import { z } from 'zod';
import { jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';

const port = z.object({ name: z.string(), data_type: z.enum(dataTypes), description: z.string() });
const output = port.extend({
  typed_by: z
    .string()
    .nullable()
    .describe('The slot that decides the type of the value: once it is filled, the output has the type `any`.'),
});
const input = port.extend({
  required: z.boolean(),
  text_only: z.boolean().describe('Whether lists and objects are rejected rather than converted to JSON text.'),
  supplied_by: z
    .array(z.string())
    .describe('Keys of `extra_config`, each of which supplies the input: edges then only order execution.'),
});

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
  config_schema: jsonObject.describe(
    'JSON Schema (2020-12) of `extra_config`. The `ui` of a key describes how an editor shows it.',
  ),
  common_schema: jsonObject.describe('JSON Schema of the keys of `config` beside `extra_config` that the node reads.'),
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
  outputs: [{ name: 'text', data_type: 'text', description: 'The text.', typed_by: null }],
  sub_inputs: [],
  executable: true,
  effect: 'pure',
  version: 1,
  config_schema: { type: 'object', properties: { template: { type: 'string', ui: { widget: 'prompt' } } } },
  common_schema: { type: 'object', properties: {} },
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

function presentOutput({ name, dataType, description, typedBy }: Port): ComponentBody['outputs'][number] {
  return { name, data_type: dataType, description, typed_by: typedBy ?? null };
}

function presentInput(port: InputPort): ComponentBody['inputs'][number] {
  const { name, dataType, description, required, isTextOnly = false, suppliedBy = [] } = port;
  return { name, data_type: dataType, description, required, text_only: isTextOnly, supplied_by: [...suppliedBy] };
}

/** The JSON Schemas of a config. */
interface ConfigSchemas {
  /** Of `extra_config`, with all keys. */
  readonly own: ComponentBody['config_schema'];
  /** Of the common keys that the component reads. */
  readonly common: ComponentBody['common_schema'];
}

/** A node type in its JSON form. */
export function presentComponent(component: Component<never>, schemas: ConfigSchemas): ComponentBody {
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
    config_schema: schemas.own,
    common_schema: schemas.common,
  };
}
