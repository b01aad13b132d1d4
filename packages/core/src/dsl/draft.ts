import type { Budget } from '../graph/budget.ts';
import type { EdgeDraft } from '../graph/edge-rules.ts';
import type { JsonObject } from '../json.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

/** A workflow as parsed from a text: nothing is resolved yet, and names are used in place of the store's ids. */
export interface Draft {
  readonly header: Header;
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly PlacedEdge[];
  /** The positions of nodes that the text contains. */
  readonly layout: ReadonlyMap<string, readonly [number, number]>;
}

/** The fields of the workflow itself. */
export interface Header {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  /** Null if the text does not set it: an import leaves the stored value unchanged. */
  readonly isActive: boolean | null;
  readonly isPublic: boolean;
  readonly isDefault: boolean;
  readonly mcp: boolean;
  readonly tags: readonly string[] | null;
  /** The slug of the workflow that handles errors. */
  readonly errorHandler: string | null;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  readonly maxExecutionSeconds: number;
  readonly concurrency: number | null;
  readonly concurrencyKey: string | null;
  readonly budget: Budget | null;
  readonly priority: number;
}

/** The fields of a config that name a credential by its id. */
export type CredentialField = 'credential_id' | 'llm_credential_id';

/** A name in the text that the store resolves to an id. */
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
  /** In the format of `node-config.ts`, without credentials and defaults. */
  readonly config: JsonObject & { readonly extra_config: JsonObject };
  /** The path of the node in the text. */
  readonly path: YamlPath;
  /** The path of each config key in the text: `model_name`, `extra_config.rules`. */
  readonly origins: ReadonlyMap<string, YamlPath>;
}

/** An edge with its path in the text. */
export interface PlacedEdge {
  readonly edge: EdgeDraft;
  readonly path: YamlPath;
}
