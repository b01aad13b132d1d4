import { answerAs, errorBody, invalidBody } from '@millrace/contract';
import type { z } from 'zod';

/** Errors that only some routes answer: the route says so. */
export type FurtherError = 400 | 403 | 404 | 409;

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
  400: errorAs(
    'The body is not JSON, or the request makes no sense for this object.',
    'Request body is not valid JSON.',
  ),
  401: errorAs('No API key was sent, or it is not valid.', 'Not authenticated'),
  403: errorAs(
    'The caller may not do this, or the key is for webhooks only.',
    'You have read-only access to this workflow.',
  ),
  404: errorAs('The object does not exist, or the caller may not see it.', 'Workflow not found.'),
  409: errorAs('The change conflicts with what is stored.', "Workflow with slug 'orders' already exists."),
  413: errorAs('The body is too large.', 'Request body is too large.'),
  415: errorAs('The body is not sent as `application/json`.', 'Content-Type must be application/json.'),
  422: invalidBody.describe('The request breaks a rule; the detail names the field.'),
  429: errorAs(
    'Too many requests; `Retry-After` says when to try again.',
    'Too many failed attempts. Try again later.',
  ),
  503: errorAs(
    'The service cannot store anything now, or is overloaded. Nothing was stored.',
    'The service is overloaded. Try again later.',
  ),
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
