import { z } from 'zod';

/**
 * A config value that is given as it is or as text with an expression, which is replaced by its value before the step
 * runs. `run` reads it with the matching function of `resolved.ts`, because the value is known only then.
 */
export function expressible<Schema extends z.ZodType>(schema: Schema): z.ZodUnion<[Schema, z.ZodString]> {
  return z.union([schema, z.string().includes('{{')]);
}
