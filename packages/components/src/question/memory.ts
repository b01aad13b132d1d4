import { type JsonObject, type Recollection, recall, type StepContext } from '@millrace/core';

/**
 * The turns of the memory that was connected last; null without a memory.
 * @param isFirst false for the later model calls of one answer, which request no summary
 */
export async function recollection(ctx: StepContext, isFirst = true): Promise<Recollection | null> {
  const memory = ctx.connected('memory').at(-1);
  return memory === undefined ? null : recall(memory, ctx, { isFirst });
}

/** What a log entry shows about the memory. */
export function memoryMetadata(before: Recollection | null): JsonObject {
  if (before === null) return {};
  return { remembered_turns: before.turns, ...(before.hasSummary && { remembered_summary: true }) };
}
