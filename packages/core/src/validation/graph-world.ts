import type { KnownRequest } from '../component/component.ts';
import type { CredentialType } from '../component/credential.ts';
import type { PartlyKnown } from '../expression/config/partly-known.ts';
import type { Json, JsonObject } from '../json.ts';
import type { VariableName } from '../variables/variable.ts';

/** A violation of a workflow's `input_schema` by a payload. */
export interface PayloadIssue {
  /** The path in the payload. */
  readonly path: readonly string[];
  /** The key at that path is wrong, not its value. */
  readonly isKey: boolean;
  readonly message: string;
}

/** A workflow that a node runs. */
export interface Callee {
  /**
   * Whether it is the workflow of that node itself, or runs that workflow directly or indirectly; null if it does not.
   */
  readonly comesBack: 'itself' | 'through_others' | null;
  /** The reason why no node can currently start it; null if one can. */
  readonly startIssue: string | null;
  /** The errors of a payload for all values of its unknown parts; null if there are none. */
  readonly payloadIssue: (payload: PartlyKnown) => PayloadIssue | null;
}

/** The message for a credential that was deleted or never existed. */
export const missingCredential = 'does not exist';

/**
 * The information that a check needs besides the graph. An issue is the end of a sentence that describes an error; null for
 * none.
 */
export interface GraphWorld {
  /** For a credential that a node names; any type is accepted if none is required. */
  readonly credentialIssue: (id: number, wanted: CredentialType | null) => string | null;
  /** For an existing credential of type `tool` that is sent with such requests. */
  readonly toolIssue: (id: number, request: KnownRequest) => string | null;
  /** For an existing credential of type `chat_bot` whose messages start the workflow. */
  readonly botIssue: (id: number) => string | null;
  /** For an existing credential that verifies signatures. */
  readonly signingIssue: (id: number) => string | null;
  /** For an existing credential that verifies user names and passwords. */
  readonly basicAuthIssue: (id: number) => string | null;
  /** For a result of `timingOf`. */
  readonly scheduleIssue: (timing: JsonObject) => string | null;
  /** The workflow with a slug, as visible to the owner of the graph; null if it was not loaded. */
  readonly callee: (slug: string) => Callee | 'missing' | null;
  readonly patternIssue: (pattern: string) => string | null;
  readonly schemaIssue: (schema: Json) => string | null;
  /** The variables that the workflow can read; null if they are not known. */
  readonly variables: readonly VariableName[] | null;
  /** Whether MCP clients may call the workflow as a tool. */
  readonly isMcpTool: boolean;
}

/** For a check that uses only the graph. */
export const noWorld: GraphWorld = {
  credentialIssue: () => null,
  toolIssue: () => null,
  botIssue: () => null,
  signingIssue: () => null,
  basicAuthIssue: () => null,
  scheduleIssue: () => null,
  callee: () => null,
  patternIssue: () => null,
  schemaIssue: () => null,
  variables: null,
  isMcpTool: false,
};
