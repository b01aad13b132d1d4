import { type CredentialType, type GraphWorld, StepError } from '@millrace/core';
import { compilePattern } from '../regex.ts';
import type { Store } from '../store/store.ts';
import { checkSchema } from './input-schema.ts';

/** What the checks of graphs ask of this service, as it is now. */
export async function graphWorld({ credentials }: Pick<Store, 'credentials'>): Promise<GraphWorld> {
  const types = new Map((await credentials.names()).map(({ id, credentialType }) => [id, credentialType]));
  return {
    credentialFault: (id, wanted) => credentialFault(types.get(id), wanted),
    patternFault,
    schemaFault: (schema) => checkSchema(schema),
  };
}

function credentialFault(type: CredentialType | undefined, wanted: CredentialType | null): string | null {
  if (type === undefined) return 'does not exist';
  return wanted === null || type === wanted ? null : `is of type '${type}' and not '${wanted}'`;
}

function patternFault(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof StepError) return error.message;
    throw error;
  }
}
