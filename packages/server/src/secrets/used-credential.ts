import { type CredentialType, Problem, StepError } from '@millrace/core';
import { type CredentialSecret, openSecret } from './credential-secret.ts';
import type { SecretPorts } from './secret-ports.ts';

/** The credential that a node names, and the type that the node needs. */
interface Use {
  /** Null for a use outside of a step: by the poller of a bot. */
  readonly nodeId: string | null;
  readonly credentialId: number;
  readonly type: CredentialType;
}

/**
 * Opens the credential of a node. `words` begins a sentence about it, for further errors. No retry helps if it cannot be
 * opened.
 * @throws StepError credential_missing, credential_unfit, secret_unreadable
 */
export async function usedCredential(
  { store, vault }: Pick<SecretPorts, 'store' | 'vault'>,
  { nodeId, credentialId, type }: Use,
): Promise<{ readonly secret: CredentialSecret; readonly words: string }> {
  const words = `${nodeId === null ? 'A bot' : `Node '${nodeId}'`} uses credential ${credentialId}, which`;
  const stored = await store.credentials.sealedById(credentialId);
  if (stored === null) {
    throw new StepError('credential_missing', `${words} does not exist: choose another in its credential_id.`);
  }
  if (stored.credentialType !== type) {
    const message = `${words} is of type '${stored.credentialType}' and not '${type}': choose another in its credential_id.`;
    throw new StepError('credential_unfit', message);
  }
  try {
    return { secret: openSecret(vault, stored), words };
  } catch (error) {
    if (error instanceof Problem && error.code === 'secret_unreadable') throw new StepError(error.code, error.message);
    throw error;
  }
}
