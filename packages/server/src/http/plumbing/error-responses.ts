import { errorBody, invalidBody } from '@millrace/contract';
import type { z } from 'zod';

/** Errors that only some routes answer: the route says so. */
export type FurtherError = 400 | 403 | 404 | 409;

interface RouteShape {
  readonly method: string;
  readonly path: string;
  readonly takesBody: boolean;
  readonly further: readonly FurtherError[];
}

const documented = {
  400: errorBody.describe('The body is not JSON, or what is asked for makes no sense here.'),
  401: errorBody.describe('No API key was sent, or it is not valid.'),
  403: errorBody.describe('The caller may not do this, or the key is for webhooks only.'),
  404: errorBody.describe('The object does not exist, or the caller may not see it.'),
  409: errorBody.describe('The change collides with what is stored.'),
  413: errorBody.describe('The body is too large.'),
  415: errorBody.describe('The body is not sent as `application/json`.'),
  422: invalidBody.describe('The request breaks a rule; the detail names the field.'),
  429: errorBody.describe('Too many requests; `Retry-After` says when to try again.'),
  503: errorBody.describe('The service cannot store anything now, or has too much to do. Nothing was stored.'),
} as const satisfies Readonly<Record<number, z.ZodType>>;

type ErrorStatus = keyof typeof documented;

/** The errors that a route documents beside its success. */
export function errorResponses(route: RouteShape): Readonly<Record<number, z.ZodType>> {
  const statuses: readonly ErrorStatus[] = [
    401,
    403,
    429,
    ...route.further,
    ...(route.path.includes(':') ? ([404] as const) : []),
    ...(route.takesBody ? ([400, 413, 415] as const) : []),
    // Any operation, to a strict caller who sends a name that it does not know.
    422,
    ...(route.method === 'GET' ? [] : ([503] as const)),
  ];
  return Object.fromEntries(statuses.map((status) => [status, documented[status]]));
}
