import type { User } from '@millrace/core';
import type { CredentialUses } from '../../store/credentials.ts';
import type { Store } from '../../store/store.ts';

/** Credentials that were not deleted because nodes use some of them. */
export interface CredentialsInUse {
  /** The ids of those that nodes use. */
  readonly used: readonly number[];
  /** The first of their uses, as the caller may see them. */
  readonly uses: CredentialUses;
}

/** Uses listed with a rejected deletion: as many as a page of a list has by default. */
const listedUses = 50;

/** What a caller sees of credentials in use. */
export async function credentialsInUse(
  store: Pick<Store, 'credentials'>,
  viewer: Pick<User, 'id'>,
  used: readonly number[],
): Promise<CredentialsInUse> {
  const uses = await store.credentials.uses({ ids: used, viewerId: viewer.id, limit: listedUses, offset: 0 });
  return { used, uses };
}
