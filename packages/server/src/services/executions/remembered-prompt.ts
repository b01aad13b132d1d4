import { asObject, recall, type SentPrompt } from '@millrace/core';
import type { Store } from '../../store/store.ts';

/** A prompt with the turns of its memory before the messages, as far as they are still stored. */
export async function withMemory(
  chats: Pick<Store['chats'], 'before' | 'keepSummary'>,
  executionId: string,
  sent: SentPrompt,
): Promise<SentPrompt> {
  const { memory, prompt } = sent;
  if (memory === null) return sent;
  const conversation = {
    before: (asked: Omit<Parameters<typeof chats.before>[0], 'executionId'>) => chats.before({ executionId, ...asked }),
    keepSummary: (summary: Omit<Parameters<typeof chats.keepSummary>[0], 'executionId'>) =>
      chats.keepSummary({ executionId, ...summary }),
  };
  // Without a model, no new summary is written.
  const before = await recall(
    { ...memory, config: asObject(memory.config, memory.nodeId) },
    { conversation, model: null },
  );
  return { ...sent, prompt: { ...prompt, messages: [...before.messages, ...prompt.messages] } };
}
