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

/** The columns of `credentials` that everybody may see. */
export interface CredentialRow {
  readonly id: number;
  readonly name: string;
  readonly credential_type: CredentialType;
  readonly masked: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns of `credentials` for those who open it. */
export interface SealedRow {
  readonly id: number;
  readonly name: string;
  readonly credential_type: CredentialType;
  readonly masked: string;
  readonly sealed: string;
  readonly revision: number;
}

/** The names for SELECT and RETURNING. */
export const credentialColumns = 'id, name, credential_type, masked, created_at, updated_at';
/** The same for a `SealedRow`. */
export const sealedColumns = 'id, name, credential_type, masked, sealed, revision';

/** The credential that a row stands for. */
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
 * The part of a credential that is shown; empty for a damaged row. So all others can still be listed, and the damaged one
 * be deleted. A step that uses it is told that its secret does not open.
 */
function shownDetail({ masked, credential_type: type }: CredentialRow): JsonObject {
  try {
    const detail = JSON.parse(masked) as Json;
    if (isObject(detail)) return detail;
  } catch {
    // Below.
  }
  return Object.hasOwn(newDetails, type) ? (newDetails[type].parse({}) as JsonObject) : {};
}

/** The credential that a row stands for, as it lies on the disk. */
export function toSealed(row: SealedRow): SealedCredential {
  const { id, name, masked, sealed, revision } = row;
  return { id, name, credentialType: row.credential_type, masked, sealed, revision };
}
