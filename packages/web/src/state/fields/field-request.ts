import { keyOf } from './field-drafts.ts';

/** A field that somebody asked for: its tab is opened and it gets the focus. Each request is an object of its own. */
export interface FieldRequest {
  /** The path of the field in the form: `retry.max_attempts`. */
  readonly path: string;
}

/** Whether a request is for a field or for one inside of it. */
export function isAskedFor(request: FieldRequest | null, path: string): boolean {
  if (request === null || !request.path.startsWith(path)) return false;
  return /^($|[.[])/.test(request.path.slice(path.length));
}

/** The key of the field of the form that a request is for. */
export function keyIn({ path }: FieldRequest): string {
  return keyOf(path);
}
