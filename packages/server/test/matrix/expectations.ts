import { type Role, roles } from './roles.ts';
import type { Declared } from './whole-app.ts';

/** `allowed` if the request passed all checks of the caller, otherwise the status of the rejection. */
export type Outcome = 'allowed' | 401 | 403 | 404;

const users: readonly Role[] = ['stranger', 'public_viewer', 'viewer', 'editor', 'owner', 'admin'];
const readers: readonly Role[] = ['public_viewer', 'viewer', 'editor', 'owner'];
const members: readonly Role[] = ['viewer', 'editor', 'owner'];

/** An admin manages users, and is a stranger to the workflows of others. */
const allowed: Readonly<Record<Declared, readonly Role[]>> = {
  anyone: roles,
  user: users,
  reader: readers,
  webhook: ['webhook', ...readers],
  member: members,
  editor: ['editor', 'owner'],
  owner: ['owner'],
  admin: ['admin'],
};

/** Who sees the object of a path. For everybody else it does not exist. */
const seenBy = {
  workflow: readers,
  execution: members,
  private: ['owner'],
  /** Credentials, users, variables of the instance, and lists, which contain only what the caller sees. */
  instance: users,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

function objectOf(path: string): keyof typeof seenBy {
  if (path.includes(':execution_id')) return 'execution';
  if (/:(slug|workflow_slug)\b/.test(path)) return 'workflow';
  if (path.includes(':username')) return 'instance';
  return /:(workflow_id|key_id)\b/.test(path) ? 'private' : 'instance';
}

/** The outcome for each role, if the declaration of the endpoint is true. */
export function expectedOf(declared: Declared, path: string): Readonly<Record<Role, Outcome>> {
  const seeing: readonly Role[] = seenBy[objectOf(path)];
  const outcome = (role: Role): Outcome => {
    if (allowed[declared].includes(role)) return 'allowed';
    if (role === 'webhook') return 403;
    if (!users.includes(role)) return 401;
    return seeing.includes(role) ? 403 : 404;
  };
  return Object.fromEntries(roles.map((role) => [role, outcome(role)])) as Record<Role, Outcome>;
}
