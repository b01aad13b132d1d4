import { type GivenConfig, invalidField, type Node, type NodeChanges, type User } from '@millrace/core';
import type { Store } from '../../store/store.ts';
import { type AccessStore, maySee } from '../access/access.ts';

/** The parts of the store in which references of nodes are looked up. */
export type ReferenceStore = AccessStore & Pick<Store, 'credentials'>;

interface Naming extends Pick<NodeChanges, 'subworkflowId' | 'config'> {
  /** The stored node, if there is one: its references may be sent back unchanged. */
  readonly stored?: Node | undefined;
}

/**
 * Rejects a node that refers to a workflow which this user may not see, or to a credential that does not exist.
 * @throws Problem `invalid`
 */
export async function checkReferences(store: ReferenceStore, user: User, naming: Naming): Promise<void> {
  const { subworkflowId = null, config = {}, stored } = naming;
  const isKnown = subworkflowId === null || subworkflowId === stored?.subworkflowId;
  if (!isKnown && !(await maySee(store, user, subworkflowId))) {
    throw invalidField(['subworkflow_id'], 'is not a workflow that you can see');
  }
  await checkCredentials(store, config, stored?.config);
}

const credentialKeys = ['llm_credential_id', 'credential_id'] as const;

async function checkCredentials(
  store: Pick<Store, 'credentials'>,
  given: GivenConfig,
  stored: GivenConfig = {},
): Promise<void> {
  for (const key of credentialKeys) {
    const id = Object.hasOwn(given, key) ? given[key] : null;
    // The config's own check rejects values that cannot be ids.
    if (typeof id !== 'number' || id === stored[key] || !Number.isSafeInteger(id) || id < 1) continue;
    if ((await store.credentials.byId(id)) !== null) continue;
    throw invalidField(['config', key], `There is no credential ${id}: name one that GET /api/v1/credentials/ lists`);
  }
}
