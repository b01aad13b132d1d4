import { errorBody, invalidBody } from '@millrace/contract';
import type { z } from 'zod';

interface RouteShape {
  /** Whether the route has a query or a body that can be wrong. */
  readonly takesInput: boolean;
  /** Whether the path names an object that can be missing. */
  readonly isNamed: boolean;
}

/** The errors that a route documents beside its success. */
export function errorResponses({ takesInput, isNamed }: RouteShape): Readonly<Record<number, z.ZodType>> {
  return {
    401: errorBody.describe('No API key was sent, or it is not valid.'),
    ...(isNamed && { 404: errorBody.describe('The object does not exist, or the caller may not see it.') }),
    ...(takesInput && { 422: invalidBody.describe('The request breaks a rule; the detail names the field.') }),
  };
}
