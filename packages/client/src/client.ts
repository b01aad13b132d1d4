import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import type { components, paths } from './schema.d.ts';

/** The bodies of the API, by their names in the OpenAPI document. */
export type Schemas = components['schemas'];

/** A client with a typed method for every endpoint. */
type Client = FetchClient<paths>;

/** Creates a client. Without a base URL, requests go to the origin of the page and are authenticated by its cookie. */
export function createClient(
  options: {
    readonly baseUrl?: string;
    readonly headers?: Record<string, string>;
    /** Default: JSON.stringify. */
    readonly bodySerializer?: (body: unknown) => string;
  } = {},
): Client {
  return createFetchClient<paths>({ ...options, credentials: 'same-origin' });
}

/**
 * Resolves with the body of a successful answer.
 * @throws ApiError if the service answers with an error; TypeError if it cannot be reached
 */
export async function answerOf<Body>(call: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(response.status, error, secondsIn(response.headers.get('retry-after')));
  return data as Body;
}

interface Answer<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

function secondsIn(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}
