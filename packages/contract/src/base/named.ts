import { z } from 'zod';

/** One example of each named schema. Schemas that `describe` derives from a named one share its example. */
const examples = z.registry<{ example: z.core.$output }>();

interface About<Output> {
  readonly description: string;
  readonly example?: Output;
  /** Keywords of the JSON Schema in the document, in place of what the schema itself gives. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/**
 * Names a schema: the OpenAPI document refers to it by this name. The schema of an answer also needs an example, which
 * the document shows for every operation that answers with it.
 */
export function named<Schema extends z.ZodType>(name: string, schema: Schema, about: About<z.output<Schema>>): Schema {
  const { description, overrides } = about;
  z.globalRegistry.add(schema as z.ZodType, { id: name, description, ...overrides });
  if (about.example !== undefined) examples.add(schema, { example: about.example });
  return schema;
}

/** A schema as one answer uses it: with a description of that answer, and an example of its own. */
export function answerAs<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.output<Schema>,
): Schema {
  const own = schema.describe(description);
  examples.add(own, { example });
  return own;
}

/** The name of a schema in the OpenAPI document; undefined for one without a name. */
export function nameOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}

/** The example of a named schema; undefined for one without an example. */
export function exampleOf<Schema extends z.ZodType>(schema: Schema): z.output<Schema> | undefined {
  return examples.get(schema)?.example as z.output<Schema> | undefined;
}

/** A list of named objects, under a name of its own. Its example is a list of the object's example. */
export function listOf<Item extends z.ZodType>(name: string, item: Item) {
  const example = exampleOf(item);
  return named(name, z.array(item), {
    description: `A list of \`${nameOf(item)}\` objects.`,
    ...(example !== undefined && { example: [example] }),
  });
}
