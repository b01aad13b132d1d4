import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type ApiKey = Schemas['ApiKey'];
export type IssuedKey = Schemas['IssuedKey'];
export type User = Schemas['User'];

/** The API keys of the user. */
export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: () => answerOf(client.GET('/api/v1/users/me/keys/')),
});

/** Creates an API key. The key itself is only in this answer. @throws ApiError */
export function createKey(body: Schemas['NewApiKey']): Promise<IssuedKey> {
  return answerOf(client.POST('/api/v1/users/me/keys/', { body }));
}

/** @throws ApiError */
export async function revokeKey(id: number): Promise<void> {
  await answerOf(client.DELETE('/api/v1/users/me/keys/{key_id}/', { params: { path: { key_id: id } } }));
}

/** The API keys and sessions of any user; only for admins. */
export const keysOfUserQuery = (username: string) =>
  queryOptions({
    queryKey: ['api-keys', username],
    queryFn: () => answerOf(client.GET('/api/v1/users/{username}/keys/', { params: { path: { username } } })),
  });

/** @throws ApiError */
export async function revokeKeyOfUser(username: string, id: number): Promise<void> {
  const path = { username, key_id: id };
  await answerOf(client.DELETE('/api/v1/users/{username}/keys/{key_id}/', { params: { path } }));
}

/** @throws ApiError */
export async function revokeAllKeysOfUser(username: string): Promise<void> {
  await answerOf(client.DELETE('/api/v1/users/{username}/keys/', { params: { path: { username } } }));
}

/** Changes the password of the user, which ends all other sessions. @throws ApiError */
export function changePassword(body: Schemas['PasswordChange']): Promise<User> {
  return answerOf(client.PATCH('/api/v1/users/me/', { body }));
}

/** The most users that the page lists. */
const maxListed = 1000;

/** All users; only for admins. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async () => {
    const { items } = await answerOf(client.GET('/api/v1/users/', { params: { query: { limit: maxListed } } }));
    return items;
  },
});

/** @throws ApiError */
export function createUser(body: Schemas['NewUser']): Promise<User> {
  return answerOf(client.POST('/api/v1/users/', { body }));
}

/** @throws ApiError */
export function changeUser(username: string, body: Schemas['UserChanges']): Promise<User> {
  return answerOf(client.PATCH('/api/v1/users/{username}/', { params: { path: { username } }, body }));
}

/** Deletes a user; the workflows go to the admin who does it. @throws ApiError */
export async function removeUser(username: string): Promise<void> {
  await answerOf(client.DELETE('/api/v1/users/{username}/', { params: { path: { username } } }));
}

/** Whether the service is available. It answers 503 with the reason if not. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async (): Promise<Schemas['Health']> => {
    const { data, error } = await client.GET('/health/');
    const state = data ?? error;
    if (state === undefined || !('status' in state)) throw new Error('The service did not report its state.');
    return state;
  },
  refetchInterval: 30_000,
});
