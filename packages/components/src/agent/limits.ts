import { addUsage, type EndedCall, type JsonObject, type ModelUsage, noUsage } from '@millrace/core';
import { isModelCall } from './agent-turns.ts';
import type { Brief } from './brief.ts';

/** The limit that a next model call, or as many calls of tools, would exceed, as a sentence; null if there is none. */
export function spentLimit(
  { maxSteps, budget }: Brief,
  calls: readonly EndedCall[],
  wantedToolCalls: number,
): string | null {
  const { tokens, usd, toolCalls, seconds } = budget;
  const used = usageOf(calls);
  const made = calls.filter((call) => !isModelCall(call)).length;
  if (made + wantedToolCalls > toolCalls) return `The agent reached its budget of ${toolCalls} tool calls.`;
  // After calls of tools follows another model call.
  if (calls.filter(isModelCall).length >= maxSteps) return `The agent reached max_steps: ${maxSteps} model calls.`;
  if (tokens !== null && used.inputTokens + used.outputTokens >= tokens)
    return `The agent reached its budget of ${tokens} tokens.`;
  if (usd !== null && used.costUsd >= usd) return `The agent reached its budget of ${usd} US dollars.`;
  if (seconds !== null && workedMs(calls) >= seconds * 1000)
    return `The agent reached its budget of ${seconds} seconds.`;
  return null;
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
