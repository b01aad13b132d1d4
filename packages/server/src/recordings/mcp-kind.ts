import type { RecordedMcp } from '@millrace/contract';
import type { JsonObject, McpAnswer, McpPort, McpTool } from '@millrace/core';
import { shown } from './difference.ts';
import { exact } from './exact.ts';
import type { Kind, Writer } from './kind.ts';
import { Matching } from './matching.ts';

/** What a node asks of its MCP server: the list of its tools, or the call of one. */
export interface McpAsked {
  readonly nodeId: string;
  /** Null for the list. */
  readonly call: { readonly tool: string; readonly args: JsonObject } | null;
}

/** What it gets. */
export type McpAnswered = { readonly tools: readonly McpTool[] } | { readonly answer: McpAnswer };

/** MCP servers, to which no connection is made. */
export const mcpKind: Kind<RecordedMcp, McpAsked, McpAnswered> = {
  key: 'mcp',
  failure: 'mcp_unavailable',
  nameOf: ({ node, tool }, index) => `mcp[${index}] (${[node, tool ?? 'tools'].filter(Boolean).join(': ')})`,
  fitting({ nodeId, call }, meter) {
    const matching = new Matching(meter);
    return function* ({ node, tool, arguments: args }) {
      if ((node ?? nodeId) !== nodeId) return false;
      if (call === null) return tool === undefined;
      return tool === call.tool && (args === undefined || (yield* matching.of(args, call.args)));
    };
  },
  answerOf(entry, { call }) {
    if (call === null) return { tools: (entry.tools ?? []).map(toolOf) };
    const { content = [], structured = null, is_error: isError = false } = entry;
    return { answer: { content, structured, isError } };
  },
  wordsOf: ({ nodeId, call }) =>
    call === null
      ? `the request for the tools of node '${nodeId}'`
      : `the call of the tool '${call.tool}' of node '${nodeId}' with ${shown(call.args)}`,
};

function toolOf({
  name,
  description = '',
  parameters = { type: 'object' },
}: NonNullable<RecordedMcp['tools']>[number]) {
  return { name, description, parameters };
}

export const mcpWriter: Writer<RecordedMcp, McpAsked, McpAnswered> = {
  key: 'mcp',
  askedIn({ nodeId, call }) {
    if (call === null) return { node: nodeId };
    const args = exact(call.args);
    return { node: nodeId, tool: call.tool, ...(args !== undefined && { arguments: args }) };
  },
  entryOf(asked, answered) {
    const entry = mcpWriter.askedIn(asked);
    if ('tools' in answered) return { ...entry, tools: answered.tools.map((tool) => ({ ...tool })) };
    const { content, structured, isError } = answered.answer;
    return {
      ...entry,
      content: [...content],
      ...(structured !== null && { structured }),
      ...(isError && { is_error: true }),
    };
  },
};

/** The server of a node, whose answers come from elsewhere. */
export function answeredMcp(nodeId: string, answer: (asked: McpAsked) => Promise<McpAnswered>): McpPort {
  return {
    async tools() {
      const given = await answer({ nodeId, call: null });
      return 'tools' in given ? given.tools : [];
    },
    async call(tool, args) {
      const given = await answer({ nodeId, call: { tool, args } });
      return 'answer' in given ? given.answer : noContent;
    },
  };
}

const noContent: McpAnswer = { content: [], structured: null, isError: false };
