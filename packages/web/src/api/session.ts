import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The proof of identity that a login sends. */
export type Login = Schemas['SessionRequest'];

/** Who is logged in to this browser. Reading it renews the session, so an open page asks again every hour. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => answerOf(client.GET('/api/v1/auth/session/')),
  staleTime: 60_000,
  refetchInterval: 60 * 60_000,
});

/** The answer of `sessionQuery` after a login. */
export const sessionOf = (user: Schemas['User']): Schemas['SessionState'] => ({ user, setup_needed: false });

/** Logs in. @throws ApiError with status 401 if the proof is wrong, 429 after too many attempts */
export function logIn(login: Login): Promise<Schemas['User']> {
  return answerOf(client.POST('/api/v1/auth/session/', { body: login }));
}

/** Ends the session of this browser. */
export async function logOut(): Promise<void> {
  await answerOf(client.DELETE('/api/v1/auth/session/'));
}
