import { type Json, type StepContext, StepError, writtenJson } from '@millrace/core';

/**
 * The user message of a node that asks a model: the input of its config, else its input. Text as it is, anything else as
 * JSON.
 * @throws StepError `input` if it is empty
 */
export async function userMessage(own: Json | undefined, input: Json, ctx: StepContext): Promise<string> {
  const text = await textOf(own ?? input, ctx);
  if (text.trim() !== '') return text;
  throw new StepError('input', "The user message is empty: set 'input', or connect a node that outputs text.");
}

function textOf(input: Json, { inSlices, meter }: StepContext): string | Promise<string> {
  if (typeof input === 'string') return input;
  return input === null ? '' : inSlices(writtenJson(input, meter));
}
