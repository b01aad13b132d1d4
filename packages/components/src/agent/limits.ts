import { addUsage, type EndedCall, type JsonObject, type ModelUsage, noUsage } from '@millrace/core';
import { isModelCall } from './agent-turns.ts';
import type { Brief, Budget } from './brief.ts';

/** The limit that a next model call, or as many calls of tools, would exceed, as a sentence; null if there is none. */
export function spentLimit(
  { maxSteps, budget }: Brief,
  calls: readonly EndedCall[],
  wantedToolCalls: number,
): string | null {
  const times = 1 + calls.filter(isGrant).length;
  const { tokens, usd, toolCalls, seconds } = multiplied(budget, times);
  const used = usageOf(calls);
  const made = calls.filter((ended) => !isModelCall(ended) && !isOverLimit(ended)).length;
  if (made + wantedToolCalls > toolCalls) return `The agent reached its budget of ${toolCalls} tool calls.`;
  // After calls of tools follows another model call.
  if (calls.filter(isModelCall).length >= maxSteps * times)
    return `The agent reached max_steps: ${maxSteps * times} model calls.`;
  if (tokens !== null && used.inputTokens + used.outputTokens >= tokens)
    return `The agent reached its budget of ${tokens} tokens.`;
  if (usd !== null && used.costUsd >= usd) return `The agent reached its budget of ${usd} US dollars.`;
  if (seconds !== null && workedMs(calls) >= seconds * 1000)
    return `The agent reached its budget of ${seconds} seconds.`;
  return null;
}

/** Whether a call was not made because of a limit: the model may ask for it again when a person has allowed more. */
function isOverLimit({ call }: EndedCall): boolean {
  return 'rejected' in call && call.rejected.code === 'agent_limit';
}

/** Whether a person allowed a call that exceeds a limit. */
function isGrant({ call, ended }: EndedCall): boolean {
  return 'to' in call && call.grants === true && !('failure' in ended && ended.failure.code === 'tool_declined');
}

function multiplied({ tokens, usd, toolCalls, seconds }: Budget, times: number): Budget {
  const more = (limit: number | null): number | null => (limit === null ? null : limit * times);
  return { tokens: more(tokens), usd: more(usd), toolCalls: toolCalls * times, seconds: more(seconds) };
}

function usageOf(calls: readonly EndedCall[]): ModelUsage {
  return calls.reduce(
    (sum, { ended }) => ('usage' in ended && ended.usage ? addUsage(sum, ended.usage) : sum),
    noUsage,
  );
}

function workedMs(calls: readonly EndedCall[]): number {
  return calls.reduce((sum, { ended }) => sum + (ended.durationMs ?? 0), 0);
}

/** The usage of an answer, as the output `usage`, and the numbers of its calls. */
export function totalUsage(calls: readonly EndedCall[]): {
  readonly usage: JsonObject;
  readonly modelCalls: number;
  readonly toolCalls: number;
} {
  const modelCalls = calls.filter(isModelCall).length;
  return { usage: shownUsage(usageOf(calls)), modelCalls, toolCalls: calls.length - modelCalls };
}

/** As the output `usage` has it. */
export function shownUsage({ calls, inputTokens, outputTokens, costUsd }: ModelUsage): JsonObject {
  return {
    calls,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    cost_usd: costUsd,
  };
}
