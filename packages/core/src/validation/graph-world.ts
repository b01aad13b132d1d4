import type { KnownRequest } from '../component/component.ts';
import type { CredentialType } from '../component/credential.ts';
import type { PartlyKnown } from '../expression/config/partly-known.ts';
import type { Json, JsonObject } from '../json.ts';

/** What the `input_schema` of a workflow refuses in a payload. */
export interface PayloadFault {
  /** Where in the payload. */
  readonly path: readonly string[];
  /** It is the key at that place that is wrong, not its value. */
  readonly isKey: boolean;
  readonly message: string;
}

/** A workflow that a node runs. */
export interface Callee {
  /** Whether it is the workflow of that node itself, or runs that one in the end; null when it does not come back. */
  readonly comesBack: 'itself' | 'through_others' | null;
  /** Why no node can start it, as it is now; null when one can. */
  readonly startFault: string | null;
  /** What is wrong with a payload whatever becomes of its unknown parts; null for nothing. */
  readonly payloadFault: (payload: PartlyKnown) => PayloadFault | null;
}

/** What is wrong with a credential that was deleted, or never was. */
export const missingCredential = 'does not exist';

/** What a check asks of the world around a graph. A fault is the end of a sentence that says what is wrong; null for nothing. */
export interface GraphWorld {
  /** Of a credential that a node names; any type will do where none is wanted. */
  readonly credentialFault: (id: number, wanted: CredentialType | null) => string | null;
  /** Of a credential of type `tool` that exists, and is to go with such requests. */
  readonly toolFault: (id: number, request: KnownRequest) => string | null;
  /** Of a credential that exists, and is to check signatures. */
  readonly signingFault: (id: number) => string | null;
  /** Of a credential that exists, and is to check user names and passwords. */
  readonly basicFault: (id: number) => string | null;
  /** Of what `timingOf` gives. */
  readonly scheduleFault: (timing: JsonObject) => string | null;
  /** The workflow of a slug, as the owner of the graph sees it; null for one that nobody has looked up. */
  readonly callee: (slug: string) => Callee | 'missing' | null;
  readonly patternFault: (pattern: string) => string | null;
  readonly schemaFault: (schema: Json) => string | null;
}

/** For a check that looks at the graph alone. */
export const noWorld: GraphWorld = {
  credentialFault: () => null,
  toolFault: () => null,
  signingFault: () => null,
  basicFault: () => null,
  scheduleFault: () => null,
  callee: () => null,
  patternFault: () => null,
  schemaFault: () => null,
};
