import { answerAs, errorBody, invalidBody } from '@millrace/contract';
import type { z } from 'zod';

/** Errors that only some routes have; the route declares them. */
export type FurtherError = 400 | 404 | 409 | 503;

interface RouteShape {
  readonly method: string;
  readonly path: string;
  readonly takesBody: boolean;
  readonly further: readonly FurtherError[];
}

function errorAs(description: string, detail: string): typeof errorBody {
  return answerAs(errorBody, description, { detail });
}

const documented = {
  400: errorAs('The body is not JSON, or the object does not support the request.', 'Request body is not valid JSON.'),
  401: errorAs('The API key is missing or invalid, or the session has ended.', 'Not authenticated'),
  403: errorAs(
    'The caller may not do this, or the key is for webhooks only.',
    'You have read-only access to this workflow.',
  ),
  404: errorAs('The object does not exist, or the caller may not see it.', 'Workflow not found.'),
  409: errorAs('The change conflicts with the stored data.', "Workflow with slug 'orders' already exists."),
  413: errorAs('The body is too large.', 'Request body is too large.'),
  415: errorAs('The Content-Type of the body is not `application/json`.', 'Content-Type must be application/json.'),
  422: invalidBody.describe('The request is invalid; the detail names the field.'),
  429: errorAs(
    'Too many requests; `Retry-After` contains the time to wait.',
    'Too many failed authentications. Try again in a minute.',
  ),
  503: errorAs(
    'The service cannot store data at the moment, or is overloaded. Nothing was stored.',
    'The service is overloaded. Try again later.',
  ),
} as const satisfies Readonly<Record<number, z.ZodType>>;

type ErrorStatus = keyof typeof documented;

/** The documented errors of a route. */
export function errorResponses(route: RouteShape): Readonly<Record<number, z.ZodType>> {
  const statuses: readonly ErrorStatus[] = [
    401,
    403,
    429,
    ...route.further,
    ...(route.path.includes(':') ? ([404] as const) : []),
    ...(route.takesBody ? ([400, 413, 415] as const) : []),
    // Every operation returns it to a strict caller for unknown names.
    422,
    ...(route.method === 'GET' ? [] : ([503] as const)),
  ];
  return Object.fromEntries(statuses.map((status) => [status, documented[status]]));
}
