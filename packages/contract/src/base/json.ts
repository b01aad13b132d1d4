import type { Json, JsonObject } from '@millrace/core';
import { z } from 'zod';
import { named } from './named.ts';

/** Any JSON value. */
export const json: z.ZodType<Json> = named('Json', z.json(), {
  description: 'Any JSON value.',
  example: { name: 'world' },
  // Written out, the schema refers to itself, which generators of clients cannot read.
  overrides: { anyOf: undefined },
});

/** A JSON object with any keys. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
