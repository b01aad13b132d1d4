import { type Json, jsonPieces } from '@millrace/core';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CalledWorkflow } from '../../services/mcp/workflow-tools.ts';

/** The tool that gets the result of an execution which took longer than a call waits. */
export const resultTool = 'execution_result';

/** Characters of an output in the result of a tool: models cannot read longer ones. */
const maxOutputLength = 1024 * 1024;

/** How an execution ended, as the result of a tool. */
export function toolResult({ executionId, isReplayed, result }: CalledWorkflow): CallToolResult {
  const _meta = { 'millrace/execution_id': executionId, ...(isReplayed && { 'millrace/replayed': true }) };
  switch (result.kind) {
    case 'completed':
      return { ...completed(executionId, result.output), _meta };
    case 'responded':
      return { ...completed(executionId, result.answer.body), _meta };
    case 'failed': {
      const { code, message } = result.failure;
      return { ...failed(`Execution ${executionId} failed: ${code}: ${message}`), _meta };
    }
    case 'cancelled':
      return { ...failed(`Execution ${executionId} was cancelled.`), _meta };
    case 'late': {
      const text = `Execution ${executionId} has not ended yet. Call ${resultTool} with this execution_id to get its result.`;
      return { content: [{ type: 'text', text }], _meta };
    }
  }
}

/** The result of a tool that was called in vain. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function completed(executionId: string, output: Json): CallToolResult {
  const text = typeof output === 'string' && output.length <= maxOutputLength ? output : boundedJson(output);
  if (text !== null) return { content: [{ type: 'text', text }] };
  return failed(
    `Execution ${executionId} completed, but its output has more than ${maxOutputLength} characters of JSON. ` +
      `Read it at /api/v1/executions/${executionId}/.`,
  );
}

/** Null for a text that would be too long; it is not written then. */
function boundedJson(value: Json): string | null {
  const texts: string[] = [];
  let length = 0;
  for (const text of jsonPieces(value)) {
    length += text.length;
    if (length > maxOutputLength) return null;
    texts.push(text);
  }
  return texts.join('');
}
