import { defineComponent, ui } from '@millrace/core';
import { z } from 'zod';

/** Pixels of a side of a note. The most that a note may have frames a thousand nodes. */
const side = (least: number) => z.int().min(least).max(20_000);

const config = z.strictObject({
  text: z
    .string()
    .max(20_000)
    .describe('The text of the note, in Markdown.')
    .meta({ ...ui({ widget: 'markdown' }), examples: ['The shop sends prices in **cents**.'] })
    .optional(),
  color: z
    .enum(['grey', 'yellow', 'green', 'blue', 'purple', 'red'])
    .describe('The colour of the note.')
    .meta({ default: 'grey', examples: ['yellow'] })
    .optional(),
  width: side(120)
    .describe('Its width on the canvas.')
    .meta({ ...ui({ unit: 'pixels' }), default: 216, examples: [640] })
    .optional(),
  height: side(64)
    .describe('Its height on the canvas.')
    .meta({ ...ui({ unit: 'pixels' }), default: 96, examples: [320] })
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

Use it to explain why a part of the workflow is the way it is. A note behind other nodes groups them: in the editor
they move with it.

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
