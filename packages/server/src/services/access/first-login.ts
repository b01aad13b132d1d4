import { timingSafeEqual } from 'node:crypto';
import { Problem, type User } from '@millrace/core';
import type { Store } from '../../store/store.ts';
import { hashOfKey } from './api-key.ts';

/** The first login to a service, with the token of the link that each start prints until then. */
export interface FirstLogin {
  /** True until somebody has logged in, or an admin has a password. */
  isNeeded(): Promise<boolean>;
  /**
   * Logs in the first admin. The token works once, and only as long as the first login is needed.
   * @throws Problem `not_authenticated`, with the same text for a wrong and for a used token
   */
  redeem<T>(token: string, logIn: (admin: User) => Promise<T>): Promise<T>;
}

/** @param setupToken null if the process printed no link */
export function createFirstLogin(store: Pick<Store, 'users' | 'keys'>, setupToken: string | null): FirstLogin {
  let unused = setupToken;
  let isDone = false;

  async function isNeeded(): Promise<boolean> {
    isDone ||= (await store.keys.hasLogin()) || (await hasAdminWithPassword(store));
    return !isDone;
  }

  return {
    isNeeded,
    async redeem(token, logIn) {
      const [admin] = await store.users.admins();
      const isOpen = await isNeeded();
      // Nothing else runs between this check and the removal of the token, so two requests cannot both use it.
      const expected = unused;
      if (admin === undefined || expected === null || !isSame(token, expected) || !isOpen) throw invalidLink();
      unused = null;
      try {
        return await logIn(admin);
      } catch (error) {
        // Nobody has logged in, for example because the disk is full.
        unused = expected;
        throw error;
      }
    },
  };
}

async function hasAdminWithPassword({ users }: Pick<Store, 'users'>): Promise<boolean> {
  for (const { username } of await users.admins()) {
    const found = await users.passwordOf(username);
    if (found !== null && found.hash !== null) return true;
  }
  return false;
}

/** Compares hashes, so that the time reveals neither the content nor the length of the token. */
function isSame(token: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashOfKey(token)), Buffer.from(hashOfKey(expected)));
}

function invalidLink(): Problem {
  return new Problem(
    'not_authenticated',
    'This setup link is not valid any more. Log in, or use the link of the newest start.',
  );
}
