import type { Role } from './roles.ts';
import type { Scene } from './scene.ts';

/** The response of an endpoint to each role, and the body of the request. */
export interface Row {
  readonly expected: Readonly<Record<Role, number>>;
  /** The body; a function if it refers to objects of the scene. */
  readonly body?: object | ((scene: Scene) => object);
}

type Body = Row['body'];

/** The roles without a valid key. */
const shut = { none: 401, bad: 401, revoked: 401, expired: 401, webhook: 403 } as const;

function row(people: Pick<Row['expected'], 'stranger' | 'viewer' | 'editor' | 'owner' | 'admin'>, body: Body): Row {
  return { expected: { ...shut, ...people }, ...(body !== undefined && { body }) };
}

/** Every user may call it, and sees only their own objects. */
export function everybody(status: number, body?: Body): Row {
  return row({ stranger: status, viewer: status, editor: status, owner: status, admin: status }, body);
}

/** Users who may read the workflow; an admin is a stranger to workflows of others. */
export function reads(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: status, editor: status, owner: status, admin: 404 }, body);
}

/** Users who may change the workflow. */
export function writes(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: 403, editor: status, owner: status, admin: 404 }, body);
}

/** Only the workflow's owner. */
export function owns(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: 403, editor: 403, owner: status, admin: 404 }, body);
}

/** It belongs to the user alone, whatever is shared. */
export function keeps(status: number, body?: Body): Row {
  return row({ stranger: 404, viewer: 404, editor: 404, owner: status, admin: 404 }, body);
}

/** Only admins. */
export function administers(status: number, body?: Body): Row {
  return row({ stranger: 403, viewer: 403, editor: 403, owner: 403, admin: status }, body);
}

/** Everybody, without a key. */
export function open(status: number, body?: Body): Row {
  const people = { stranger: status, viewer: status, editor: status, owner: status, admin: status };
  const keys = { none: status, bad: status, revoked: status, expired: status, webhook: status };
  return { expected: { ...keys, ...people }, ...(body !== undefined && { body }) };
}

/** Users who may read the workflow may start it, also with a webhook key. */
export function starts(status: number, body?: Body): Row {
  const { expected } = reads(status);
  return { expected: { ...expected, webhook: status }, ...(body !== undefined && { body }) };
}
