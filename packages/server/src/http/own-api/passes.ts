import { randomUUID } from 'node:crypto';
import type { User } from '@millrace/core';

/**
 * Lets this process call its own API for a user who has no key there: the owner of a run. A pass identifies one
 * request.
 */
export class Passes {
  readonly #users = new Map<string, User>();

  /** A text that takes the place of an API key. */
  issue(user: User): string {
    const pass = `pass-${randomUUID()}`;
    this.#users.set(pass, user);
    return pass;
  }

  /** The user of a pass, which is no longer valid then; null for any other text. */
  take(pass: string): User | null {
    const user = this.#users.get(pass) ?? null;
    this.#users.delete(pass);
    return user;
  }
}

/** The endpoints that a pass opens, by the pattern of their path. */
const open = [
  /^\/api\/v1\/(?:workflows|executions|schedules)\//,
  // Only to read: the methods are checked below.
  /^\/api\/v1\/users\/me\/$/,
];
/** Those of them that stay closed: people decide who may see a workflow, enter variables, and answer approvals. */
const closed = /\/(?:collaborators|variables)\/|\/resume\/$/;

/** Whether a request with a pass may use the endpoint with this path pattern. */
export function isOpenToPasses(method: string, pattern: string): boolean {
  if (closed.test(pattern) || !open.some((each) => each.test(pattern))) return false;
  return method === 'GET' || !pattern.startsWith('/api/v1/users/');
}
