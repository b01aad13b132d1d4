import { defineComponent } from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  text: z.string().max(20_000).describe('What the note says. Markdown.').optional(),
});

export const notes = defineComponent({
  type: 'notes',
  label: 'Note',
  category: 'Canvas',
  icon: 'sticky-note',
  color: '#94a3b8',
  description: `A note on the canvas, for the people who read the workflow. It is never a step of a run.

Use it to say why a part is the way it is.

\`\`\`json
{ "text": "The shop sends prices in **cents**." }
\`\`\``,
  inputs: [],
  outputs: [],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
});
