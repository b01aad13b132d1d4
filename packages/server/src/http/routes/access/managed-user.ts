import { Problem, type User } from '@millrace/core';
import { requireAdmin, type Users } from '../../../services/access/users.ts';
import type { Caller } from '../../plumbing/route.ts';

type Load = (caller: Caller, parameters: Readonly<Record<string, string>>) => Promise<User>;

/** Loads the user in a path for an admin. @throws Problem `admins_only` or `not_found` */
export function managedUser(users: Pick<Users, 'find'>): Load {
  return async (caller, { username = '' }) => {
    // The path `me` is not a user name, so it has only the operations of the caller's own account.
    if (username === 'me') throw new Problem('not_found', 'Not found');
    requireAdmin(caller.user);
    return users.find(username);
  };
}
