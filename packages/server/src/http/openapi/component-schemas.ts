import { configKeySchemas } from '@millrace/contract';
import {
  type Catalogue,
  type Component,
  commonKeysOf,
  configSchemaOf,
  isArray,
  isObject,
  type Json,
  type JsonObject,
} from '@millrace/core';

/**
 * The schemas of the components in the document: of each `extra_config`, e.g. `HttpRequestConfig`, and of the `config`
 * that contains it, e.g. `HttpRequestNodeConfig`.
 */
export function componentSchemas(catalogue: Catalogue): Readonly<Record<string, JsonObject>> {
  const entries = [...catalogue.values()].flatMap((component) => {
    const { $schema: _draft, $defs = {}, ...schema } = configSchemaOf(component);
    const recursive = Object.entries($defs as JsonObject).find(([, definition]) => !isAnyJson(definition));
    if (recursive !== undefined) throw new Error(`${component.type}: ${recursive[0]} refers to itself and is not JSON`);
    // All these definitions mean any JSON, which the document already defines under its own name.
    const text = JSON.stringify(schema).replaceAll(/"#\/\$defs\/[^"]+"/g, '"#/components/schemas/Json"');
    const description = `The \`extra_config\` of a \`${component.type}\` node.`;
    const name = nameOf(component.type);
    return [
      [`${name}Config`, { description, ...(JSON.parse(text) as JsonObject) }],
      [`${name}NodeConfig`, nodeConfigSchema(component)],
    ] as const;
  });
  return Object.fromEntries(entries);
}

function nodeConfigSchema(component: Component<never>): JsonObject {
  const common = commonKeysOf(component).map((key) => [key, configKeySchemas[key] ?? {}] as const);
  const own = { $ref: `#/components/schemas/${nameOf(component.type)}Config` };
  return {
    description: `The \`config\` of a \`${component.type}\` node. Other common keys have no effect on it.`,
    type: 'object',
    properties: { extra_config: own, ...Object.fromEntries(common) },
  };
}

function nameOf(type: string): string {
  const words = type.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('');
}

const jsonTypes = ['array', 'boolean', 'null', 'number', 'object', 'string'];

function isAnyJson(definition: Json): boolean {
  const choices = isObject(definition) && isArray(definition.anyOf) ? definition.anyOf : [];
  const types = choices.map((choice) => (isObject(choice) ? String(choice.type) : ''));
  return types.sort().join() === jsonTypes.join();
}
