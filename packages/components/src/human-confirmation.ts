import { asBoolean, asText, defineComponent, expressible, textOf, ui } from '@millrace/core';
import { z } from 'zod';

export const humanConfirmation = defineComponent({
  type: 'human_confirmation',
  label: 'Human Confirmation',
  category: 'Logic',
  icon: 'user-check',
  color: '#ec4899',
  description: `Asks a person a question and waits for yes or no.

The execution is \`interrupted\` until someone answers: in the editor, with
\`POST /api/v1/executions/{id}/resume/\`, or with one of the two links \`{{ nodes.ask_1.approve_url }}\` and
\`{{ nodes.ask_1.decline_url }}\`, which an earlier step can send to someone without an account. Each link opens a page with
a button; opening it decides nothing. A switch on \`confirmed\` can then choose the next step.

\`\`\`json
{ "prompt": "Send the offer to {{ trigger.payload.customer }}?", "default": false }
\`\`\`

If nobody answers within \`timeout_seconds\`, the answer is \`default\`: no, unless it is true. Without a timeout, the
execution waits until someone answers.`,
  errors: ['config'],
  example: {
    workflow: `name: Offer
trigger: webhook
steps:
  - id: ask
    type: human_confirmation
    prompt: Send the offer to {{ trigger.payload.customer }}?
  - id: answer
    type: switch
    rules:
      - {field: ask.confirmed, operator: is_true, route: send}
    default: keep
  - {id: send, type: template, template: The offer is sent.}
  - {id: keep, type: template, template: "The offer is not sent: {{ ask.user_response }}"}
`,
    tests: `tests:
  - name: A person approves the offer
    payload: {customer: Mill}
    answers: [{node: ask, confirmed: true, after_seconds: 3600}]
    expect: {path: [start, ask, answer, send]}
  - name: A person declines it
    payload: {customer: Mill}
    answers: [{node: ask, confirmed: false, response: Too early.}]
    expect: {final_output: "The offer is not sent: Too early."}
`,
  },
  inputs: [
    {
      name: 'prompt',
      dataType: 'text',
      required: false,
      suppliedBy: ['prompt'],
      description: 'The question, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'confirmed', dataType: 'boolean', description: 'Whether the answer was yes.' },
    { name: 'user_response', dataType: 'text', description: 'The text that the person added; may be empty.' },
    { name: 'approve_url', dataType: 'text', description: 'The link to the page that confirms.' },
    { name: 'decline_url', dataType: 'text', description: 'The link to the page that declines.' },
  ],
  links: ['approve_url', 'decline_url'],
  subInputs: [],
  effect: 'idempotent',
  version: 1,
  config: z.strictObject({
    prompt: z
      .string()
      .describe('The question. Default: the input.')
      .meta({ ...ui({ widget: 'prompt' }), examples: ['Send the offer to {{ trigger.payload.customer }}?'] })
      .optional(),
    default: expressible(z.boolean())
      .describe('The answer if nobody answers within `timeout_seconds`.')
      .meta({ default: false, examples: [true] })
      .optional(),
  }),
  run({ input, config }) {
    const prompt = config.prompt === undefined ? (textOf(input) ?? 'Continue?') : asText(config.prompt, 'prompt');
    return {
      pause: {
        kind: 'approval',
        prompt,
        fallback: config.default !== undefined && asBoolean(config.default, 'default'),
      },
    };
  },
  resume({ pause, answer }) {
    if (answer.kind === 'decision') {
      const { confirmed, response, by } = answer;
      return { outputs: { confirmed, user_response: response }, metadata: { answered_by: by ?? 'a signed link' } };
    }
    const confirmed = pause.kind === 'approval' && pause.fallback;
    return { outputs: { confirmed, user_response: '' }, metadata: { timed_out: true } };
  },
});
