import { z } from 'zod';

/**
 * A config value that may be given as it is or as text holding an expression, whose value takes its place before the
 * step runs. `run` reads it with the matching function of `resolved.ts`, because only then the value is known.
 */
export function expressible<Schema extends z.ZodType>(schema: Schema): z.ZodUnion<[Schema, z.ZodString]> {
  return z.union([schema, z.string().includes('{{')]);
}
