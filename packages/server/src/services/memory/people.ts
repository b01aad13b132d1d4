import type { KnownPerson, User } from '@millrace/core';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';

/** The people that the workflows of a user know, for this user only. */
export interface People {
  list(
    user: User,
    which: { readonly q?: string | undefined; readonly limit: number; readonly offset: number },
  ): Promise<Page<KnownPerson>>;
  /** Deletes a person and the facts about them, also those about a `user_id` that no step has identified. */
  forget(user: User, userId: string): Promise<void>;
}

export function createPeople({ store: { memory } }: { readonly store: Pick<Store, 'memory'> }): People {
  return {
    list: ({ id: ownerId }, { q = '', limit, offset }) =>
      memory.people({ ownerId, query: q.trim() === '' ? null : q.trim(), limit, offset }),
    forget: ({ id: ownerId }, userId) => memory.forget({ ownerId, userId }),
  };
}
