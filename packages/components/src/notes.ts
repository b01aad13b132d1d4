import { defineComponent, ui } from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  text: z
    .string()
    .max(20_000)
    .describe('The text of the note, in Markdown.')
    .meta({ ...ui({ widget: 'markdown' }), examples: ['The shop sends prices in **cents**.'] })
    .optional(),
});

export const notes = defineComponent({
  type: 'notes',
  label: 'Note',
  category: 'Canvas',
  icon: 'sticky-note',
  color: '#94a3b8',
  description: `A note on the canvas, for the people who read the workflow. It is never a step of a run,
and braces in its text are text, so it can explain an expression.

Use it to explain why a part of the workflow is the way it is.

\`\`\`json
{ "text": "The shop sends prices in **cents**." }
\`\`\``,
  errors: [],
  example: {
    workflow: `name: Price in euros
nodes:
  - {id: start, type: trigger_manual}
  - {id: price, type: transform, expression: trigger.payload.cents / 100}
  - {id: why, type: notes, text: The shop sends prices in **cents**.}
edges:
  - start -> price
`,
    tests: `tests:
  - name: The note is not a step
    payload: {cents: 250}
    expect: {path: [start, price], final_output: 2.5}
`,
  },
  inputs: [],
  outputs: [],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  verbatim: ['text'],
});
