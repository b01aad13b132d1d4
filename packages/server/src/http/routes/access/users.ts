import {
  newUser,
  pageQuery,
  passwordChange,
  presentUser,
  user,
  userChanges,
  userList,
  userRemoval,
} from '@millrace/contract';
import { Problem, type User } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { requireUncommon } from '../../../services/access/password-rule.ts';
import type { Sessions } from '../../../services/access/sessions.ts';
import { requireAdmin, type Users } from '../../../services/access/users.ts';
import type { SessionCookie } from '../../handling/session-cookie.ts';
import type { PasswordGuesses } from '../../plumbing/password-guesses.ts';
import { addRoute, type Caller } from '../../plumbing/route.ts';
import { managedUser } from './managed-user.ts';

const tag = 'Users';
const collection = '/api/v1/users/';
const item = `${collection}:username/`;

interface UserRoutes {
  readonly users: Users;
  readonly guesses: PasswordGuesses;
  readonly sessions: Pick<Sessions, 'reopen'>;
  readonly sessionCookie: SessionCookie;
}

/** The endpoints of users: the caller's own account, and all users for admins. */
export function addUsers(app: FastifyInstance, routes: UserRoutes): void {
  addOwnAccount(app, routes);
  addManagement(app, routes.users);
}

function addOwnAccount(app: FastifyInstance, { users, guesses, sessions, sessionCookie }: UserRoutes): void {
  const paths = [
    ['/api/v1/auth/me/', 'getCaller'],
    [`${collection}me/`, 'getOwnUser'],
  ] as const;
  for (const [path, operationId] of paths) {
    addRoute(app, {
      method: 'GET',
      path,
      operationId,
      summary: 'Reads the user of the API key',
      tag,
      access: 'user',
      success: { status: 200, schema: user },
      handle: async ({ caller }) => presentUser(caller.user),
    });
  }
  addRoute(app, {
    method: 'PATCH',
    path: `${collection}me/`,
    operationId: 'changePassword',
    summary: "Changes the caller's password",
    tag,
    access: 'user',
    body: passwordChange,
    examples: [{ password: 'a long sentence' }],
    success: { status: 200, schema: user },
    handle: async ({ caller, request, reply, body: { password: next, current_password: present = null } }) => {
      // A new password that is rejected is not a guess at the present one.
      requireUncommon(next, caller.user.username);
      // Somebody who finds a key must not be able to guess the password with it.
      await guesses.ofCaller(request, caller.user.id, () => users.changePassword(caller.user, { present, next }));
      // The new password ended all sessions of the user; the browser that sent it stays logged in.
      if (sessionCookie.read(request) !== null)
        sessionCookie.set(request, reply, await sessions.reopen(caller.user, next));
      return presentUser(caller.user);
    },
  });
}

function addManagement(app: FastifyInstance, users: Users): void {
  const admins = async ({ user: caller }: Caller): Promise<void> => requireAdmin(caller);
  const load = managedUser(users);

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listUsers',
    summary: 'Lists users, newest first',
    tag,
    access: 'admin',
    query: pageQuery,
    success: { status: 200, schema: userList },
    load: admins,
    handle: async ({ query }) => {
      const { items, total } = await users.list(query);
      return { items: items.map(presentUser), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: 'createUser',
    summary: 'Creates a user',
    tag,
    access: 'admin',
    body: newUser,
    examples: [{ username: 'operator', password: 'correct horse battery' }],
    success: { status: 201, schema: user },
    errors: [409],
    load: admins,
    handle: async ({ body: { username, password, is_admin: isAdmin } }) =>
      presentUser(await users.create({ username, password, isAdmin })),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    operationId: 'updateUser',
    summary: 'Changes a user',
    tag,
    access: 'admin',
    body: userChanges,
    examples: [{ is_admin: true }],
    success: { status: 200, schema: user },
    errors: [409],
    load,
    handle: async ({ loaded, body: { password, is_admin: isAdmin } }) =>
      presentUser(await users.update(loaded, { password, isAdmin })),
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    operationId: 'deleteUser',
    summary: 'Deletes a user and their keys; another user takes over their workflows',
    tag,
    access: 'admin',
    query: userRemoval,
    success: { status: 204, schema: null },
    errors: [409],
    load,
    handle: async ({ caller, loaded, query }) =>
      users.remove(loaded, await heirOf(users, loaded, query.transfer_to ?? caller.user.username)),
  });
}

/** @throws Problem `invalid` if no other user has that name */
async function heirOf(users: Users, leaver: User, username: string): Promise<User> {
  const heir = await users.find(username).catch((error: unknown) => {
    if (error instanceof Problem && error.kind === 'not_found') return null;
    throw error;
  });
  if (heir !== null && heir.id !== leaver.id) return heir;
  const msg = heir === null ? 'is not the name of a user' : 'must be another user, who takes over the workflows';
  throw new Problem('invalid', [{ type: 'value_error', loc: ['query', 'transfer_to'], msg }]);
}
