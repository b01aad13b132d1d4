import type { Json, JsonObject } from '@millrace/core';
import { z } from 'zod';

/** Any JSON value. */
export const json: z.ZodType<Json> = z
  .json()
  .register(z.globalRegistry, { id: 'Json', description: 'Any JSON value.' });

/** A JSON object with any keys. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
