import { ApiError, answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The user of this browser's session. */
export type User = Schemas['User'];

/** The proof of identity that a login sends. */
export type Login = Schemas['SessionRequest'];

/** The user who is logged in; null if nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<User | null> => {
    try {
      return await answerOf(client.GET('/api/v1/auth/me/'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Whether nobody has logged in to this service yet. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: () => answerOf(client.GET('/api/v1/auth/setup/')),
});

/** Logs in. @throws ApiError with status 401 if the proof is wrong, 429 after too many attempts */
export function logIn(login: Login): Promise<User> {
  return answerOf(client.POST('/api/v1/auth/session/', { body: login }));
}

/** Ends the session of this browser. */
export async function logOut(): Promise<void> {
  await answerOf(client.DELETE('/api/v1/auth/session/'));
}
