import {
  type Credential,
  type CredentialType,
  isObject,
  type Json,
  type JsonObject,
  newDetails,
  parseInstant,
} from '@millrace/core';
import type { SealedCredential } from '../../credentials.ts';

/** The columns of `credentials` that any reader may see. */
export interface CredentialRow {
  readonly id: number;
  readonly name: string;
  readonly credential_type: CredentialType;
  readonly masked: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns of `credentials` for code that opens the seal. */
export interface SealedRow {
  readonly id: number;
  readonly name: string;
  readonly credential_type: CredentialType;
  readonly masked: string;
  readonly sealed: string;
  readonly revision: number;
}

/** The column names for SELECT and RETURNING. */
export const credentialColumns = 'id, name, credential_type, masked, created_at, updated_at';
/** The same for a `SealedRow`. */
export const sealedColumns = 'id, name, credential_type, masked, sealed, revision';

/** Converts a row to a credential. */
export function toCredential(row: CredentialRow): Credential {
  return {
    id: row.id,
    name: row.name,
    credentialType: row.credential_type,
    detail: shownDetail(row),
    createdAt: parseInstant(row.created_at),
    updatedAt: parseInstant(row.updated_at),
  };
}

/**
 * The visible part of a credential; empty for a damaged row, so that all others can still be listed and the damaged one
 * can be deleted. A step that uses it fails with the error that its secret cannot be opened.
 */
function shownDetail({ masked, credential_type: type }: CredentialRow): JsonObject {
  try {
    const detail = JSON.parse(masked) as Json;
    if (isObject(detail)) return detail;
  } catch {
    // Handled below, like JSON that is not an object.
  }
  return Object.hasOwn(newDetails, type) ? (newDetails[type].parse({}) as JsonObject) : {};
}

/** Converts a row to a credential as it is stored. */
export function toSealed(row: SealedRow): SealedCredential {
  const { id, name, masked, sealed, revision } = row;
  return { id, name, credentialType: row.credential_type, masked, sealed, revision };
}
