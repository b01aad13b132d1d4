import type { Action } from './action.ts';
import { type Model, type Name, otherThan, type Role, rejectionOf } from './model.ts';

/** Shares it with the other user. */
export function share(user: Name, slug: string, role: Role): Action {
  return (model) => {
    const owner = model.workflows.get(slug)?.owner;
    const username = otherThan(owner ?? user);
    const isShared = (model.workflows.get(slug)?.role ?? null) !== null;
    return {
      user,
      method: 'POST',
      path: `${slug}/collaborators/`,
      body: { username, role },
      status: rejectionOf(model, user, slug, 'own') ?? (isShared ? 409 : 201),
      learn: () => {
        model.of(slug).role = role;
      },
    };
  };
}

/** Changes the role of the other user. */
export function changeRole(user: Name, slug: string, role: Role): Action {
  return (model) => ({
    ...collaborator(model, user, slug),
    method: 'PATCH',
    body: { role },
    status: rejectionOf(model, user, slug, 'own') ?? (isShared(model, slug) ? 200 : 404),
    learn: () => {
      model.of(slug).role = role;
    },
  });
}

/** Ends the sharing. */
export function unshare(user: Name, slug: string): Action {
  return (model) => ({
    ...collaborator(model, user, slug),
    method: 'DELETE',
    status: rejectionOf(model, user, slug, 'own') ?? (isShared(model, slug) ? 204 : 404),
    learn: () => {
      model.of(slug).role = null;
    },
  });
}

function collaborator(model: Model, user: Name, slug: string) {
  const owner = model.workflows.get(slug)?.owner ?? user;
  return { user, path: `${slug}/collaborators/${otherThan(owner)}/` };
}

function isShared(model: Model, slug: string): boolean {
  return (model.workflows.get(slug)?.role ?? null) !== null;
}
