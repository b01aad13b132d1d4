import { defineComponent } from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  turns: z
    .int()
    .min(1)
    .max(1000)
    .describe('How many of the last turns are remembered; a turn is a message and its answer.')
    .optional(),
  token_window: z
    .int()
    .min(1)
    .max(10_000_000)
    .describe('How many tokens the remembered turns may have in all.')
    .optional(),
  summarize: z.boolean().describe('Whether older turns are kept as a summary. Default: false.').optional(),
});

export const conversationMemory = defineComponent({
  type: 'conversation_memory',
  label: 'Conversation Memory',
  category: 'Memory',
  icon: 'history',
  color: '#f59e0b',
  description: `What was said before in the same conversation, for the nodes that are connected to it by an edge labelled \`memory\`. It is never a step of a run.

**Not supported yet:** it can be drawn and configured, but a node that is connected to a memory fails when it runs, and
\`validate\` warns of it.

\`\`\`json
{ "turns": 10 }
\`\`\``,
  inputs: [],
  outputs: [{ name: 'memory', dataType: 'memory', description: 'The memory, for the nodes that use it.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
});
