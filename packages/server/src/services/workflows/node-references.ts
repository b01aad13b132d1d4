import type { Node, User } from '@millrace/core';
import type { Store } from '../../store/store.ts';
import { type AccessStore, maySee } from '../access/access.ts';
import { type GivenConfig, invalidField } from './node-config.ts';
import type { NodeChanges } from './node-edits.ts';

/** Where what nodes name is looked up. */
export type ReferenceStore = AccessStore & Pick<Store, 'credentials'>;

interface Naming extends Pick<NodeChanges, 'subworkflowId' | 'config'> {
  /** The node as it is, if there is one: what it names already may be sent back as it is. */
  readonly stored?: Node | undefined;
}

/**
 * Refuses a node that is to run a workflow which this user cannot see, or to use a credential that does not exist.
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
    // What cannot be an id at all is for the config's own check to say.
    if (typeof id !== 'number' || id === stored[key] || !Number.isSafeInteger(id) || id < 1) continue;
    if ((await store.credentials.byId(id)) !== null) continue;
    throw invalidField(['config', key], `There is no credential ${id}: name one that GET /api/v1/credentials/ lists`);
  }
}
