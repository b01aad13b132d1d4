import type { JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';

/** The purpose of a credential; it never changes. */
export const credentialTypes = ['llm', 'chat_bot', 'git', 'tool'] as const;
export type CredentialType = (typeof credentialTypes)[number];

/** A stored credential as every user of it may see it: its detail contains masks in place of secrets. */
export interface Credential {
  readonly id: number;
  readonly name: string;
  readonly credentialType: CredentialType;
  /**
   * The masked form of the document described in `credential-detail.ts`. Its keys are part of the user's language:
   * snake_case.
   */
  readonly detail: JsonObject;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
