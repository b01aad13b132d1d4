import { type Recollection, recall, type StepContext } from '@millrace/core';

/** The turns of the memory that was connected last; null without a memory. */
export async function recollection(ctx: StepContext): Promise<Recollection | null> {
  const memory = ctx.connected('memory').at(-1);
  return memory === undefined ? null : recall(memory, ctx);
}
