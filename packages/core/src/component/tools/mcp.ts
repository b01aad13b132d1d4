import type { Json, JsonObject } from '../../json.ts';

/** A server of the Model Context Protocol: its address, or the name of a program that the operator allows. */
export type McpServer = { readonly url: string } | { readonly name: string };

/** A tool as a server offers it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: JsonObject;
}

/** What a server answers to the call of a tool. */
export interface McpAnswer {
  /** Blocks of text, images and resources. */
  readonly content: readonly JsonObject[];
  /** The same as a value, if the server sends one. */
  readonly structured: Json | null;
  /** Whether the tool reports that it failed. */
  readonly isError: boolean;
}

/** A connection to a server. */
export interface McpPort {
  /** @throws StepError `mcp_unavailable`, `mcp_error`, those of requests, and those of the node's credential */
  tools(): Promise<readonly McpTool[]>;
  /** @throws as `tools` */
  call(tool: string, args: JsonObject): Promise<McpAnswer>;
}
