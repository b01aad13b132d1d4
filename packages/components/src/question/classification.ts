import { type Json, type JsonObject, type StepContext, StepError, ui } from '@millrace/core';
import { z } from 'zod';
import { forcedAnswer } from './forced-answer.ts';
import { recollection } from './memory.ts';
import { userMessage } from './user-message.ts';

/** The classes of a text. More than a model distinguishes well are rejected. */
const mostClasses = 50;
const defaultAttempts = 2;

/** The name of the class for everything else. */
const otherName = 'other';

const list = z
  .array(
    z.strictObject({
      name: z
        .string()
        .min(1)
        .describe('The name, as it is output.')
        .meta({ examples: ['billing'] }),
      description: z
        .string()
        .describe('What belongs to it, for the model.')
        .meta({ examples: ['Invoices, refunds and prices.'] })
        .optional(),
    }),
  )
  .min(2)
  .max(mostClasses)
  .superRefine((classes, ctx) => {
    const names = classes.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) < index)
        ctx.addIssue({ code: 'custom', path: [index, 'name'], message: 'is used twice' });
    }
  });

/** The keys of both node types that classify. */
export const classificationKeys = {
  input: z
    .json()
    .describe('The text to classify, or any value as JSON. Default: the input.')
    .meta({ ...ui({ widget: 'prompt' }), examples: ['{{ trigger.payload.text }}'] })
    .optional(),
  other: z
    .boolean()
    .describe(`Whether the model may answer \`${otherName}\`.`)
    .meta({ default: true, examples: [false] })
    .optional(),
  attempts: z
    .int()
    .min(1)
    .max(5)
    .describe('How often the model is asked if its answer is invalid.')
    .meta({ ...ui({ advanced: true }), default: defaultAttempts, examples: [3] })
    .optional(),
};

/** A list of classes with this description. */
export function classesKey(description: string) {
  return list.describe(description).meta({
    examples: [[{ name: 'billing', description: 'Invoices, refunds and prices.' }, { name: 'support' }]],
  });
}

interface Classified {
  readonly input: Json;
  readonly config: {
    readonly input?: Json | undefined;
    readonly other?: boolean | undefined;
    readonly attempts?: number | undefined;
  };
  readonly classes: z.infer<typeof list>;
  readonly ctx: StepContext;
}

/** The class that a model chooses, and how sure it says it is, from 0 to 1. */
export async function classOf({
  input,
  config,
  classes,
  ctx,
}: Classified): Promise<{ name: string; confidence: number }> {
  if (classes.length === 0) throw new StepError('config', 'There is nothing to choose from: list the classes.');
  const message = await userMessage(config.input, input, ctx);
  const all = config.other === false || classes.some(({ name }) => name === otherName) ? classes : [...classes, other];
  const before = await recollection(ctx);
  const lines = all.map(({ name, description = '' }) => `- ${name}${description === '' ? '' : `: ${description}`}`);
  const instruction = `Classify the message of the user. Call the function with one of these names:\n${lines.join('\n')}`;
  const { name, confidence } = await forcedAnswer(
    {
      system: [ctx.systemPrompt, instruction].filter(Boolean).join('\n\n'),
      messages: [...(before?.messages ?? []), { role: 'user', content: message }],
      tool: { name: 'classify', description: 'Records the class of the message.', parameters: parametersFor(all) },
      attempts: config.attempts ?? defaultAttempts,
    },
    ctx,
  );
  // The schema has checked both.
  if (typeof name !== 'string' || typeof confidence !== 'number') throw new StepError('model_output', 'No class.');
  return { name, confidence };
}

const other = { name: otherName, description: 'Nothing else fits.' };

function parametersFor(classes: z.infer<typeof list>): JsonObject {
  return {
    type: 'object',
    properties: {
      name: { type: 'string', enum: classes.map(({ name }) => name) },
      confidence: { type: 'number', minimum: 0, maximum: 1, description: 'How sure you are.' },
    },
    required: ['name', 'confidence'],
    additionalProperties: false,
  };
}

/** The errors of a node that asks a model, besides those of its own. */
export const modelErrors = [
  'config',
  'credential_locked',
  'credential_missing',
  'http_blocked',
  'http_busy',
  'http_connection',
  'http_too_large',
  'input',
  'missing_connection',
  'model_auth',
  'model_bad_response',
  'model_output',
  'model_rate_limited',
  'model_refused',
  'model_unavailable',
  'secret_unreadable',
] as const;
