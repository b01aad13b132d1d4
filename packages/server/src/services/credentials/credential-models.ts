import { Problem } from '@millrace/core';
import type { LlmEndpoint, LlmEndpoints } from '../../secrets/llm-endpoint.ts';

interface ListedModel {
  readonly id: string;
  readonly name: string;
}

/** Requests to a provider apart from the model calls of runs. */
export interface Probes {
  test(endpoint: LlmEndpoint): Promise<string | null>;
  list(endpoint: LlmEndpoint): Promise<{ readonly models: readonly ListedModel[]; readonly warning: string | null }>;
}

/** An LLM credential that was found: its endpoint, or the reason why it cannot be used. */
type Found = LlmEndpoint | { readonly rejection: string };

/** Tests LLM credentials and lists the models that they give access to. */
export interface CredentialModels {
  /** @throws Problem `not_found` if the credential is missing or has another type */
  find(credentialId: number | null): Promise<Found>;
  /** Null if the provider accepts the key; else the reason why it cannot be used. */
  test(found: Found): Promise<string | null>;
  list(found: Found): Promise<{ readonly models: readonly ListedModel[]; readonly warning: string | null }>;
}

interface CredentialModelsPorts {
  readonly endpoints: LlmEndpoints;
  readonly probes: Probes;
}

export function createCredentialModels({ endpoints, probes }: CredentialModelsPorts): CredentialModels {
  return {
    async find(credentialId) {
      const found = credentialId === null ? null : await open(endpoints, credentialId);
      if (found === null) throw new Problem('not_found', 'LLM credential not found.');
      return found;
    },
    test: async (found) => ('rejection' in found ? found.rejection : probes.test(found)),
    list: async (found) => ('rejection' in found ? { models: [], warning: found.rejection } : probes.list(found)),
  };
}

async function open(endpoints: LlmEndpoints, credentialId: number): Promise<Found | null> {
  try {
    const opened = await endpoints.open(credentialId);
    if (!('kind' in opened)) return opened;
    return opened.kind === 'locked' ? { rejection: opened.message } : null;
  } catch (error) {
    // The credential exists, so the response says what is wrong with it.
    if (error instanceof Problem && error.code === 'secret_unreadable') return { rejection: error.message };
    throw error;
  }
}
