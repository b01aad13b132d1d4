import { createHash } from 'node:crypto';
import {
  type Catalogue,
  type ErrorCode,
  type Json,
  type JsonObject,
  listedTool,
  type McpPort,
  type McpServer,
  type Node,
  StepError,
  type Tool,
  type ToolDescription,
  type ToolLister,
  toolNodeOf,
  toolOf,
  type Workflow,
} from '@millrace/core';
import type { Timers } from '../../ground/clock.ts';

/** What a node offers to agents now. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** Null for a node whose tools are not a list of another server. */
  readonly digest: string | null;
  /** Why there are none, or why an agent does not start with them. */
  readonly problem: { readonly code: ErrorCode; readonly message: string } | null;
}

/** Asks tool nodes what they offer. */
export interface NodeTools {
  /** Of the stored config of a node, without an execution. An MCP server is asked. */
  list(workflow: Workflow, node: Node): Promise<OfferedTools>;
}

/** A node that uses an MCP server. */
interface NodeServer {
  readonly workflowId: number;
  readonly ownerId: number;
  readonly nodeId: string;
  readonly credentialId: number | null;
  readonly server: McpServer;
}

export interface NodeToolsPorts {
  readonly catalogue: Catalogue;
  readonly timers: Pick<Timers, 'after'>;
  readonly schemaIssue: (schema: JsonObject, value: Json) => string | null;
  readonly workflowInput: (caller: { readonly workflowId: number }, slug: string) => Promise<ToolDescription>;
  /** Connects to an MCP server for one use. */
  readonly useServer: <Result>(
    server: NodeServer,
    signal: AbortSignal,
    act: (port: McpPort) => Promise<Result>,
  ) => Promise<Result>;
}

/** As long as a person waits. */
const listMs = 15_000;

const nothing: OfferedTools = { tools: [], digest: null, problem: null };

export function createNodeTools(ports: NodeToolsPorts): NodeTools {
  return {
    async list(workflow, node) {
      const component = ports.catalogue.get(node.componentType);
      if (component?.tool === undefined) return nothing;
      const { credentialId, ...offering } = toolNodeOf(node, component);
      const { nodeId, config } = offering;
      try {
        if (component.tool.list !== undefined) {
          rejectExpressions(config, component.urls ?? []);
          const lister = listerFor(ports, { workflowId: workflow.id, ownerId: workflow.ownerId, nodeId, credentialId });
          const { tools, digest, problem, absence } = await component.tool.list({ nodeId, config }, lister);
          return {
            tools: tools.map((tool) => listedTool(offering, tool)),
            digest,
            problem: problem ?? absence ?? null,
          };
        }
        const caller = { workflowInput: (slug: string) => ports.workflowInput({ workflowId: workflow.id }, slug) };
        const described = (await component.tool.describe?.(config, caller)) ?? {};
        const tool = toolOf({ ...offering, described });
        return { ...nothing, tools: tool === null ? [] : [tool] };
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        return { ...nothing, problem: { code: error.code, message: error.message } };
      }
    },
  };
}

function listerFor(ports: NodeToolsPorts, node: Omit<NodeServer, 'server'>): ToolLister {
  const used = <Result>(server: McpServer, act: (port: McpPort) => Promise<Result>): Promise<Result> =>
    withinTime(ports, (signal) => ports.useServer({ ...node, server }, signal, act));
  return {
    mcp: (server) => ({
      tools: () => used(server, (port) => port.tools()),
      call: (tool, args) => used(server, (port) => port.call(tool, args)),
    }),
    schemaIssue: ports.schemaIssue,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
}

async function withinTime<Result>(
  { timers }: NodeToolsPorts,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const late = new Promise<never>((_resolve, reject) => {
    ended.signal.addEventListener('abort', () => {
      reject(new StepError('mcp_unavailable', `The MCP server did not answer within ${listMs / 1000} s.`));
    });
  });
  const cancel = timers.after(listMs, () => ended.abort());
  try {
    return await Promise.race([act(ended.signal), late]);
  } finally {
    cancel();
  }
}

/** Values of expressions exist only in an execution. */
function rejectExpressions(config: JsonObject, keys: readonly string[]): void {
  const key = keys.find((one) => String(config[one] ?? '').includes('{{'));
  if (key === undefined) return;
  throw new StepError('config', `'${key}' contains an expression, which has a value only in an execution.`);
}
