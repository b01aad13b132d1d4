import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type Credential = Schemas['Credential'];
export type CredentialType = Credential['credential_type'];
export type CredentialUse = Schemas['CredentialUse'];

/** The most credentials that one request lists; a picker searches among them. */
const maxListed = 1000;

/** The key of everything that is known about credentials. */
export const credentialsKey = ['credentials'] as const;

/** All credentials, newest first. */
export const credentialsQuery = queryOptions({
  queryKey: ['credentials', 'all'],
  queryFn: async () => {
    const page = await answerOf(client.GET('/api/v1/credentials/', { params: { query: { limit: maxListed } } }));
    return page.items;
  },
});

/** The models of an `llm` credential, as its provider lists them. */
export function credentialModelsQuery(id: number | null) {
  return queryOptions({
    queryKey: ['credentials', 'models', id],
    queryFn: () =>
      answerOf(
        client.GET('/api/v1/credentials/{credential_id}/models/', { params: { path: { credential_id: id ?? 0 } } }),
      ),
    enabled: id !== null,
    // Providers rarely add models, and the request may take seconds.
    staleTime: 300_000,
  });
}

/** The nodes that use a credential, and whether workflows that the user may not see use it too. */
export interface CredentialUses {
  readonly uses: readonly CredentialUse[];
  readonly total: number;
  readonly hasHidden: boolean;
}

/** The nodes that use a credential: the first 50. */
export function credentialUsesQuery(id: number) {
  return queryOptions({
    queryKey: ['credentials', 'uses', id],
    queryFn: async (): Promise<CredentialUses> => {
      const call = client.GET('/api/v1/credentials/{credential_id}/usage/', {
        params: { path: { credential_id: id } },
      });
      const { items, total } = await answerOf(call);
      const { response } = await call;
      return { uses: items, total, hasHidden: response.headers.has('millrace-warning') };
    },
    staleTime: 30_000,
  });
}

/** Creates a credential. @throws ApiError with status 422 if a field is invalid */
export function createCredential(wanted: {
  readonly name: string;
  readonly type: CredentialType;
  readonly detail: Readonly<Record<string, unknown>>;
}): Promise<Credential> {
  const { name, type, detail } = wanted;
  // The service validates the detail: its fields depend on the type, which is chosen at run time.
  const body = { name, credential_type: type, detail } as Schemas['NewCredential'];
  return answerOf(client.POST('/api/v1/credentials/', { body }));
}

/** Reads a credential, with masks in place of its secrets. @throws ApiError */
export function readCredential(id: number): Promise<Credential> {
  const params = { path: { credential_id: id } };
  return answerOf(client.GET('/api/v1/credentials/{credential_id}/', { params }));
}

/** Changes the given fields of a credential, and no others. */
export function changeCredential(id: number, changes: Schemas['CredentialChanges']): Promise<Credential> {
  const params = { path: { credential_id: id } };
  return answerOf(client.PATCH('/api/v1/credentials/{credential_id}/', { params, body: changes }));
}

/** Deletes a credential. @throws ApiError with status 409 if a node uses it, unless `evenIfUsed` */
export async function deleteCredential(id: number, evenIfUsed: boolean): Promise<void> {
  const header = evenIfUsed ? {} : { Prefer: 'handling=strict' };
  await answerOf(
    client.DELETE('/api/v1/credentials/{credential_id}/', { params: { path: { credential_id: id }, header } }),
  );
}

/** Tests the key of an `llm` credential at its provider. A rejected key is a result, not an error. */
export function testCredential(id: number): Promise<Schemas['CredentialTest']> {
  const params = { path: { credential_id: id } };
  return answerOf(client.POST('/api/v1/credentials/{credential_id}/test/', { params }));
}
