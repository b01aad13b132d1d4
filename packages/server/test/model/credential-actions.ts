import type { Action, Planned } from './action.ts';
import type { Model, ModelCredential, Name } from './model.ts';

/** Credentials are global, so the user makes no difference. */
const collection = 'credentials';

/** The expected mask of a secret, in an independent implementation. */
function maskOf(secret: string): string {
  if (secret === '') return '';
  return secret.length < 12 ? '****' : `${secret.slice(0, 4)}****${secret.slice(-4)}`;
}

function shown({ name, secret }: ModelCredential) {
  return { name, credential_type: 'llm', detail: { api_key: maskOf(secret) } };
}

/** Creates a credential. */
export function addCredential(user: Name, secret: string): Action {
  return (model) => ({
    user,
    collection,
    method: 'POST',
    path: '',
    body: { name: 'Models', credential_type: 'llm', detail: { api_key: secret } },
    status: 201,
    shows: shown({ name: 'Models', secret }),
    learn: (body) => {
      const { id } = body as { id: number };
      model.credentials.set(id, { name: 'Models', secret });
    },
  });
}

/** Reads an existing or deleted one. */
export function readCredential(user: Name, nth: number): Action {
  return (model) => {
    const [id, credential] = nthCredential(model, nth);
    const rest = credential === null ? missing : { status: 200, shows: { id, ...shown(credential) } };
    return { user, collection, method: 'GET', path: `${id}/`, ...rest };
  };
}

/** The list contains the credentials of all users. */
export function listCredentials(user: Name): Action {
  return (model) => ({
    user,
    collection,
    method: 'GET',
    path: '?limit=1000',
    status: 200,
    shows: { total: model.credentials.size, items: [...model.credentials.values()].reverse().map(shown) },
  });
}

/** Sets another secret; null sends the shown mask back, which changes nothing. */
export function changeSecret(user: Name, nth: number, given: string | null): Action {
  return (model) => {
    const [id, credential] = nthCredential(model, nth);
    const api_key = given ?? maskOf(credential?.secret ?? '');
    const after = { name: 'Changed', secret: given ?? credential?.secret ?? '' };
    return {
      user,
      collection,
      method: 'PATCH',
      path: `${id}/`,
      body: { name: 'Changed', detail: { api_key } },
      ...(credential === null ? missing : { status: 200, shows: { id, ...shown(after) } }),
      learn: () => void model.credentials.set(id, after),
    };
  };
}

/** Deletes an existing one. */
export function removeCredential(user: Name, nth: number): Action {
  return (model) => {
    const [id, credential] = nthCredential(model, nth);
    return {
      user,
      collection,
      method: 'DELETE',
      path: `${id}/`,
      ...(credential === null ? missing : { status: 204 }),
      learn: () => void model.credentials.delete(id),
    };
  };
}

const missing: Pick<Planned, 'status' | 'shows'> = { status: 404, shows: { detail: 'Credential not found.' } };

function nthCredential({ credentials }: Model, nth: number): readonly [id: number, credential: ModelCredential | null] {
  const all = [...credentials];
  return all[nth % (all.length + 1)] ?? [999_999, null];
}
