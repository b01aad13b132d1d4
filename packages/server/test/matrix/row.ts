import type { Role } from './roles.ts';
import type { Scene } from './scene.ts';

/** What an endpoint answers to each role, and what the request sends. */
export interface Row {
  readonly expected: Readonly<Record<Role, number>>;
  /** The body; a function where it names something of the scene. */
  readonly body?: object | ((scene: Scene) => object);
}

type Body = Row['body'];

/** Who shows no key that is good here. */
const shut = { none: 401, bad: 401, revoked: 401, expired: 401, webhook: 403 } as const;

function row(people: Pick<Row['expected'], 'stranger' | 'viewer' | 'editor' | 'owner' | 'admin'>, body: Body): Row {
  return { expected: { ...shut, ...people }, ...(body !== undefined && { body }) };
}

/** Every user may; what they see of it is their own. */
export function everybody(status: number, body?: Body): Row {
  return row({ stranger: status, viewer: status, editor: status, owner: status, admin: status }, body);
}

/** Who may read the workflow may; an admin is a stranger to others' workflows. */
export function reads(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: status, editor: status, owner: status, admin: 404 }, body);
}

/** Who may change the workflow may. */
export function writes(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: 403, editor: status, owner: status, admin: 404 }, body);
}

/** Only the workflow's owner may. */
export function owns(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: 403, editor: 403, owner: status, admin: 404 }, body);
}

/** It is the user's own and nobody else's, whatever is shared. */
export function keeps(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: 404, editor: 404, owner: status, admin: 404 }, body);
}

/** Only an admin may. */
export function administers(status: number, body?: Body): Row {
  return row({ stranger: 403, viewer: 403, editor: 403, owner: 403, admin: status }, body);
}

/** Anybody may, without a key. */
export function open(status: number, body?: Body): Row {
  const people = { stranger: status, viewer: status, editor: status, owner: status, admin: status };
  const keys = { none: status, bad: status, revoked: status, expired: status, webhook: status };
  return { expected: { ...keys, ...people }, ...(body !== undefined && { body }) };
}

/** Who may read the workflow may start it, also with a key for webhooks only. */
export function starts(status: number, body?: Body): Row {
  const { expected } = reads(status);
  return { expected: { ...expected, webhook: status }, ...(body !== undefined && { body }) };
}
