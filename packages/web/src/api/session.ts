import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { browserStorage } from '../storage/browser-storage.ts';
import { client } from './client.ts';

/** The proof of identity that a login sends. */
export type Login = Schemas['SessionRequest'];

/** Who is logged in to this browser. Reading it renews the session, so an open page asks again every hour. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const session = await answerOf(client.GET('/api/v1/auth/session/'));
    if (session.user !== null) browserStorage.open(session.user.id);
    return session;
  },
  staleTime: 60_000,
  refetchInterval: 60 * 60_000,
});

/** The answer of `sessionQuery` after a login. */
export const sessionOf = (user: Schemas['User']): Schemas['SessionState'] => ({ user, setup_needed: false });

/** Logs in. @throws ApiError with status 401 if the proof is wrong, 429 after too many attempts */
export async function logIn(login: Login): Promise<Schemas['User']> {
  const user = await answerOf(client.POST('/api/v1/auth/session/', { body: login }));
  browserStorage.open(user.id);
  return user;
}

/** Ends the session of this browser, and removes what the user has stored in it. */
export async function logOut(): Promise<void> {
  await answerOf(client.DELETE('/api/v1/auth/session/'));
  browserStorage.close();
}
