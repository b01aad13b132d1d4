import type { Json } from '../../json.ts';

/** A request to the API of this service, on behalf of the owner of a run. */
export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With a slash at both ends, without a query: `/api/v1/workflows/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** The answer of the API. */
export interface PlatformAnswer {
  readonly status: number;
  /** Text if it is not JSON, null if there is none. */
  readonly body: Json;
}
