import type { Json, JsonObject } from '@millrace/core';
import { z } from 'zod';
import { named } from './named.ts';

/** Any JSON value. */
export const json: z.ZodType<Json> = named('Json', z.json(), {
  description: 'Any JSON value.',
  example: { name: 'world' },
  // Otherwise the schema refers to itself, which client generators cannot read.
  overrides: { anyOf: undefined },
});

/** A JSON object with any keys. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
