import type { CredentialType } from './credential.ts';
import type { Json, JsonObject } from './json.ts';

/** What a check asks of the world around a graph. Each says what is wrong, as the end of a sentence; null for nothing. */
export interface GraphWorld {
  /** Of a credential that a node names; any type will do where none is wanted. */
  readonly credentialFault: (id: number, wanted: CredentialType | null) => string | null;
  /** Of a credential that exists, and is to check signatures. */
  readonly signingFault: (id: number) => string | null;
  /** Of what `timingOf` gives. */
  readonly scheduleFault: (timing: JsonObject) => string | null;
  readonly patternFault: (pattern: string) => string | null;
  readonly schemaFault: (schema: Json) => string | null;
}

/** For a check that looks at the graph alone. */
export const noWorld: GraphWorld = {
  credentialFault: () => null,
  signingFault: () => null,
  scheduleFault: () => null,
  patternFault: () => null,
  schemaFault: () => null,
};
