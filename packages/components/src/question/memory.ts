import { type JsonObject, memorySlot, type Recollection, recall, type StepContext } from '@millrace/core';

/** The turns of the memory that was connected last; null without a memory. */
export async function recollection(ctx: StepContext): Promise<Recollection | null> {
  const memory = ctx.connected(memorySlot).at(-1);
  return memory === undefined ? null : recall(memory, ctx);
}

/** What a log entry shows about the memory. */
export function memoryMetadata(before: Recollection | null): JsonObject {
  if (before === null) return {};
  return { remembered_turns: before.turns, ...(before.hasSummary && { remembered_summary: true }) };
}
