import { type Catalogue, configSchemaOf, isArray, isObject, type Json, type JsonObject } from '@millrace/core';

/** The schemas of the components' `extra_config` in the document, by name, e.g. `HttpRequestConfig`. */
export function componentSchemas(catalogue: Catalogue): Readonly<Record<string, JsonObject>> {
  const entries = [...catalogue.values()].map((component) => {
    const { $schema: _draft, $defs = {}, ...schema } = configSchemaOf(component);
    const recursive = Object.entries($defs as JsonObject).find(([, definition]) => !isAnyJson(definition));
    if (recursive !== undefined) throw new Error(`${component.type}: ${recursive[0]} refers to itself and is not JSON`);
    // All these definitions mean any JSON, which the document already defines under its own name.
    const text = JSON.stringify(schema).replaceAll(/"#\/\$defs\/[^"]+"/g, '"#/components/schemas/Json"');
    const description = `The \`extra_config\` of a \`${component.type}\` node.`;
    return [nameOf(component.type), { description, ...(JSON.parse(text) as JsonObject) }] as const;
  });
  return Object.fromEntries(entries);
}

function nameOf(type: string): string {
  const words = type.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Config`;
}

const jsonTypes = ['array', 'boolean', 'null', 'number', 'object', 'string'];

function isAnyJson(definition: Json): boolean {
  const choices = isObject(definition) && isArray(definition.anyOf) ? definition.anyOf : [];
  const types = choices.map((choice) => (isObject(choice) ? String(choice.type) : ''));
  return types.sort().join() === jsonTypes.join();
}
