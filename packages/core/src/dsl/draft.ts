import type { EdgeDraft } from '../graph/edge-rules.ts';
import type { JsonObject } from '../json.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

/** A workflow as a text gives it: nothing is looked up yet, and names stand where the store has ids. */
export interface Draft {
  readonly header: Header;
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly PlacedEdge[];
  /** Where nodes are, as far as the text says so. */
  readonly layout: ReadonlyMap<string, readonly [number, number]>;
}

/** The fields of the workflow itself. */
export interface Header {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  /** Null when the text does not say: an import keeps what is stored. */
  readonly isActive: boolean | null;
  readonly isPublic: boolean;
  readonly isDefault: boolean;
  readonly tags: readonly string[] | null;
  /** The slug of the workflow that handles errors. */
  readonly errorHandler: string | null;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  readonly maxExecutionSeconds: number;
  readonly concurrency: number | null;
  readonly concurrencyKey: string | null;
  readonly priority: number;
}

/** The fields of a config that name a credential by its id. */
export type CredentialField = 'credential_id' | 'llm_credential_id';

/** A name that the text gives for something that the store knows by an id. */
export interface Mention {
  readonly name: string;
  readonly path: YamlPath;
}

export interface DraftNode {
  readonly nodeId: string;
  readonly componentType: string;
  readonly label: string | null;
  readonly isEntryPoint: boolean;
  readonly interruptBefore: boolean;
  readonly interruptAfter: boolean;
  readonly codeBlockId: number | null;
  /** The slug of the workflow that the node runs. */
  readonly subworkflow: Mention | null;
  readonly credentials: ReadonlyMap<CredentialField, Mention>;
  /** As `node-config.ts` has it, without credentials and defaults. */
  readonly config: JsonObject & { readonly extra_config: JsonObject };
  /** Where the text has the node. */
  readonly path: YamlPath;
  /** Where the text has each key of the config: `model_name`, `extra_config.rules`. */
  readonly origins: ReadonlyMap<string, YamlPath>;
}

/** An edge, with where the text has it. */
export interface PlacedEdge {
  readonly edge: EdgeDraft;
  readonly path: YamlPath;
}
