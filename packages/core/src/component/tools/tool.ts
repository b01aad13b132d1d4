import type { ErrorCode } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { ModelTool } from '../model.ts';
import type { Effect } from './effect.ts';
import type { McpPort, McpServer } from './mcp.ts';

/** How nodes of a type are tools. */
export interface ToolOffer {
  /** What it does, for a model. */
  readonly description: string;
  /** The config keys that a model may fill where the config leaves them open. */
  readonly fills: readonly string[];
  /** Those of them that a call cannot do without. */
  readonly requires?: readonly string[];
  /** Whether people outside write what it returns. */
  readonly isUntrusted?: true;
  /** What a model may fill with this config, if less than `fills`. */
  readonly fillsWith?: (config: JsonObject) => Pick<ToolOffer, 'fills' | 'requires'>;
  /** The output that is the result for the model. Default: the first one. */
  readonly port?: string;
  /** What is known about a tool only when an agent starts; the settings of the node take precedence. */
  readonly describe?: (config: JsonObject, ctx: ToolDescriber) => Promise<ToolDescription>;
  /**
   * For nodes that offer several tools, which are known only when an agent starts. Of the settings of the node, `asks` and
   * `untrusted` apply to all of them.
   */
  readonly list?: (node: ListingNode, ctx: ToolLister) => Promise<ToolList>;
  /** Whether a call with this config may change something outside, although it may be repeated freely. */
  readonly acts?: (config: JsonObject) => boolean;
  /** How a call with this config may be repeated, if not as the type says. */
  readonly effectOf?: (config: JsonObject) => Effect;
}

/** What the description of a tool may depend on. */
interface ToolDescriber {
  workflowInput(slug: string): Promise<ToolDescription>;
}

/** A node that offers several tools. */
export interface ListingNode {
  readonly nodeId: string;
  /** With its expressions resolved. */
  readonly config: JsonObject;
}

/** What a list of tools may depend on. */
export interface ToolLister {
  /** A server, with the credential of the node. */
  mcp(server: McpServer): McpPort;
  /** As for steps. @throws StepError `config` for a schema that cannot be used */
  schemaIssue(schema: JsonObject, value: Json): string | null;
  /** SHA-256 in hex. */
  digest(text: string): string;
}

/** What a node offers now. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Identifies the names, descriptions and parameters of these tools; null without an answer. */
  readonly digest: string | null;
  /** Why an agent does not start with them. */
  readonly problem?: ToolProblem;
  /** Why there are none, for a node without whose tools an agent starts. */
  readonly absence?: ToolProblem;
}

interface ToolProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One of several tools of a node. */
export interface ListedTool extends ModelTool {
  /** What is called: its name at the server. */
  readonly target: string;
  readonly effect: Effect;
}

/** A part of the description of a tool. */
export interface ToolDescription {
  readonly description?: string;
  readonly parameters?: JsonObject;
}

/** A tool as an agent has it. */
export interface Tool extends ModelTool {
  /** The node that is called. */
  readonly to: string;
  /** What of the node is called, if it offers several tools. */
  readonly target?: string;
  readonly effect: Effect;
  /** Whether a call may change something outside, although its effect allows to repeat it. */
  readonly acts?: true;
  readonly asks: boolean;
  readonly isUntrusted: boolean;
  /** The output whose value is the result for the model. */
  readonly port: string;
}
