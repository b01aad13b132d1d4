import { Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { TurnSource } from '../../ground/fair-turns.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { requireUncommon } from './password-rule.ts';

/** A user to create. */
export interface UserRequest {
  readonly username: string;
  /** Null for a user who has keys only. */
  readonly password: string | null;
  readonly isAdmin: boolean;
}

/** The changes that an admin may make to a user. */
export interface UserEdit {
  readonly password?: string | undefined;
  readonly isAdmin?: boolean | undefined;
}

/** The users of the service, for admins. The caller was checked before. */
export interface Users {
  /** Newest first. */
  list(page: { readonly limit: number; readonly offset: number }): Promise<Page<User>>;
  /** @throws Problem `not_found` */
  find(username: string): Promise<User>;
  /** @throws Problem `conflict` if the name is taken, or `invalid` for a common password */
  create(request: UserRequest): Promise<User>;
  /** @throws Problem `conflict` if the last admin would lose that role */
  update(user: User, edit: UserEdit): Promise<User>;
  /** Changes the user's own password; the present one must be correct. @throws Problem `invalid` */
  changePassword(user: User, change: PasswordChange): Promise<void>;
  /**
   * Deletes the user and their keys. Their workflows pass to the heir, so that they continue to run.
   * @throws Problem `conflict` if it is the last admin
   */
  remove(user: User, heir: User): Promise<void>;
}

/** A user's new password, with the present one if there is one. */
export interface PasswordChange {
  readonly present: string | null;
  readonly next: string;
}

interface UsersPorts {
  readonly store: Pick<Store, 'users'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly passwords: Passwords;
}

export function createUsers({ store, clock, passwords }: UsersPorts): Users {
  const { users } = store;

  async function update({ id, username }: User, { password, isAdmin }: UserEdit, by?: TurnSource): Promise<User> {
    if (password !== undefined) requireUncommon(password, username);
    const passwordHash = password === undefined ? undefined : await passwords.hash(password, by);
    const changes = { ...(isAdmin !== undefined && { isAdmin }), ...(passwordHash !== undefined && { passwordHash }) };
    const updated = await users.update({ id, changes, at: clock.now() });
    if (updated === 'missing') throw userNotFound();
    if (updated === 'last_admin') throw lastAdmin(username);
    return updated;
  }

  return {
    list: (page) => users.list(page),
    async find(username) {
      const user = await users.byUsername(username);
      if (user === null) throw userNotFound();
      return user;
    },
    async create({ username, password, isAdmin }) {
      if (password !== null) requireUncommon(password, username);
      if ((await users.byUsername(username)) !== null) throw nameTaken(username);
      const passwordHash = password === null ? null : await passwords.hash(password);
      const user = await users.insert({ username, isAdmin, passwordHash, at: clock.now() });
      if (user === null) throw nameTaken(username);
      return user;
    },
    update: (user, edit) => update(user, edit),
    async changePassword(user, { present, next }) {
      const hash = (await users.passwordOf(user.username))?.hash ?? null;
      const by = { id: `user ${user.id}`, isKnown: true };
      if (hash !== null && !(await passwords.matches(present ?? '', hash, by))) throw wrongPassword();
      await update(user, { password: next }, by);
    },
    async remove({ id, username }, heir) {
      const outcome = await users.remove({ id, heirId: heir.id, at: clock.now() });
      if (outcome === 'missing') throw userNotFound();
      if (outcome === 'last_admin') throw lastAdmin(username);
    },
  };
}

/** @throws Problem `admins_only` for anybody else */
export function requireAdmin(user: User): void {
  if (!user.isAdmin) throw new Problem('admins_only', 'Only an admin may manage users.');
}

function userNotFound(): Problem {
  return new Problem('not_found', 'User not found.');
}

function nameTaken(username: string): Problem {
  return new Problem('conflict', `User '${username}' already exists.`);
}

function lastAdmin(username: string): Problem {
  return new Problem('conflict', `'${username}' is the last admin: make another user an admin first.`);
}

function wrongPassword(): Problem {
  return new Problem('invalid', [
    { type: 'value_error', loc: ['body', 'current_password'], msg: 'is not your password' },
  ]);
}
