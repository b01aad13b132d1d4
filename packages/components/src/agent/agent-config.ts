import { ui } from '@millrace/core';
import { z } from 'zod';

/** Model calls of one answer: more than a task needs that makes progress. */
export const defaultMaxSteps = 25;
const maxSteps = 200;
/** Calls of tools of one answer. */
export const defaultMaxToolCalls = 100;
/** Tool calls in progress at once. */
export const defaultParallel = 8;
const maxParallel = 32;
/** Characters of one result that the model receives: some 5,000 tokens. */
export const defaultResultLimit = 20_000;
const maxResultLimit = 1_000_000;

/** A month. */
const maxApproveSeconds = 2_678_400;

const budgets = z.strictObject({
  tokens: z
    .int()
    .min(1)
    .describe('Tokens of all model calls, input and output.')
    .meta({ examples: [50_000] })
    .optional(),
  usd: z
    .number()
    .positive()
    .describe("US dollars, by the prices of the model's node.")
    .meta({ examples: [0.5] })
    .optional(),
  tool_calls: z
    .int()
    .min(0)
    .describe('Calls of tools.')
    .meta({ default: defaultMaxToolCalls, examples: [20] })
    .optional(),
  seconds: z
    .number()
    .positive()
    .describe('Seconds of work of the model and the tools, without the time that they wait.')
    .meta({ ...ui({ unit: 'seconds' }), examples: [120] })
    .optional(),
});

export const agentConfig = z.strictObject({
  input: z
    .json()
    .describe('The user message: text, or any value as JSON. Default: the input.')
    .meta({ ...ui({ widget: 'prompt' }), examples: ['Summarise this ticket: {{ trigger.payload.text }}'] })
    .optional(),
  max_steps: z
    .int()
    .min(1)
    .max(maxSteps)
    .describe('The most model calls for one answer, if the agent has tools.')
    .meta({ ...ui({ advanced: true }), default: defaultMaxSteps, examples: [10] })
    .optional(),
  budgets: budgets
    .describe('What one answer may use, if the agent has tools.')
    .meta({ ...ui({ advanced: true }), examples: [{ tokens: 50_000, tool_calls: 20 }] })
    .optional(),
  on_limit: z
    .enum(['fail', 'answer', 'ask'])
    .describe(
      'What happens when `max_steps` or a budget is used up: the step fails with `agent_limit`, the model is asked once more and must answer without tools, or a person is asked whether the agent may use the same amount again.',
    )
    .meta({ ...ui({ advanced: true }), default: 'fail', examples: ['answer'] })
    .optional(),
  approve: z
    .array(z.string().min(1))
    .max(128)
    .describe('The names of tools whose calls a person approves; `*` for all.')
    .meta({ default: [], examples: [['send_mail']] })
    .optional(),
  approve_seconds: z
    .number()
    .positive()
    .max(maxApproveSeconds)
    .describe(
      'The time for the approval of a call, or of more with `on_limit: ask`, after which the answer is no. Default: no limit.',
    )
    .meta({ ...ui({ widget: 'duration', unit: 'seconds', advanced: true }), examples: [3600] })
    .optional(),
  parallel: z
    .int()
    .min(1)
    .max(maxParallel)
    .describe('The most tool calls in progress at once. With 1 the request also asks the model for one at a time.')
    .meta({ ...ui({ advanced: true }), default: defaultParallel, examples: [1] })
    .optional(),
  tool_choice: z
    .string()
    .min(1)
    .describe(
      'What the first model call may do: `auto`, `required` (call a tool), `none`, or the name of a tool to call.',
    )
    .meta({ ...ui({ advanced: true }), default: 'auto', examples: ['required'] })
    .optional(),
  result_limit: z
    .int()
    .min(100)
    .max(maxResultLimit)
    .describe('Characters of a tool result that the model receives; the rest is cut off, and a sentence says so.')
    .meta({ ...ui({ advanced: true }), default: defaultResultLimit, examples: [5000] })
    .optional(),
  guard: z
    .enum(['off', 'after_untrusted'])
    .describe(
      'With `after_untrusted`, a person approves each later call that acts outside, or runs another workflow, once a tool has returned what people outside wrote.',
    )
    .meta({ ...ui({ advanced: true }), default: 'off', examples: ['after_untrusted'] })
    .optional(),
});

export type AgentConfig = z.infer<typeof agentConfig>;
