import { z } from 'zod';

/** One example per named schema. Schemas derived from a named one by `describe` share its example. */
const examples = z.registry<{ example: z.core.$output }>();

interface About<Output> {
  readonly description: string;
  readonly example?: Output;
  /** JSON Schema keywords in the document that replace those of the schema. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/**
 * Names a schema: the OpenAPI document refers to it by this name. The schema of a response also needs an example, which
 * the document shows for every operation with this response.
 */
export function named<Schema extends z.ZodType>(name: string, schema: Schema, about: About<z.output<Schema>>): Schema {
  const { description, overrides } = about;
  z.globalRegistry.add(schema as z.ZodType, { id: name, description, ...overrides });
  if (about.example !== undefined) examples.add(schema, { example: about.example });
  return schema;
}

/** A schema for one response, with its own description and example. */
export function answerAs<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.output<Schema>,
): Schema {
  const own = schema.describe(description);
  examples.add(own, { example });
  return own;
}

/** The name of a schema in the OpenAPI document; undefined if it has none. */
export function nameOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}

/** The example of a named schema; undefined if it has none. */
export function exampleOf<Schema extends z.ZodType>(schema: Schema): z.output<Schema> | undefined {
  return examples.get(schema)?.example as z.output<Schema> | undefined;
}

/** A named list of named objects. Its example is a list with the example of the object. */
export function listOf<Item extends z.ZodType>(name: string, item: Item) {
  const example = exampleOf(item);
  return named(name, z.array(item), {
    description: `A list of \`${nameOf(item)}\` objects.`,
    ...(example !== undefined && { example: [example] }),
  });
}
