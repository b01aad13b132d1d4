import { isObject, type Json, type ModelRequest, type ModelSettings, type ModelStop, StepError } from '@millrace/core';
import { z } from 'zod';
import { type ChatProtocol, given } from './protocol.ts';
import { tokenCount } from './token-count.ts';

/** The limit of an answer must be given; this one every current model takes, and some thinking fits in, too. */
const defaultMaxTokens = 8192;

const message = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      cache_creation_input_tokens: tokenCount,
      cache_read_input_tokens: tokenCount,
    })
    .nullish()
    .catch(null),
});

/** Anthropic's `/v1/messages`. */
export const anthropicMessages: ChatProtocol = {
  request: (call) => ({ method: 'POST', path: '/v1/messages', body: JSON.stringify(bodyOf(call)) }),
  read(body) {
    const parsed = message.safeParse(body);
    if (!parsed.success) return null;
    const { content, stop_reason: reason, usage } = parsed.data;
    return {
      // Beside text there may be what the model thought.
      text: content.map(({ type, text = '' }) => (type === 'text' ? text : '')).join(''),
      stop: stops.get(reason ?? 'end_turn') ?? 'other',
      inputTokens: usage ? usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens : 0,
      outputTokens: usage?.output_tokens ?? 0,
    };
  },
};

const stops: ReadonlyMap<string, ModelStop> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);

function bodyOf({ nodeId, model, settings, system, messages }: ModelRequest): Json {
  refusePenalties(nodeId, settings);
  return {
    model,
    max_tokens: settings.maxTokens ?? defaultMaxTokens,
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...given('system', system === '' ? null : system),
    ...given('temperature', settings.temperature),
    ...given('top_p', settings.topP),
    ...given('output_config', outputConfig(nodeId, settings.responseFormat)),
  };
}

function refusePenalties(nodeId: string, { frequencyPenalty, presencePenalty }: ModelSettings): void {
  const penalties = [
    ['frequency_penalty', frequencyPenalty],
    ['presence_penalty', presencePenalty],
  ] as const;
  for (const [key, value] of penalties) {
    if (value)
      throw new StepError('config', `Node '${nodeId}', ${key}: providers of type provider_b have no such setting.`);
  }
}

/** The form of the answer in this protocol's words. */
function outputConfig(nodeId: string, format: Json): Json {
  if (format === null || (isObject(format) && format.type === 'text')) return null;
  const { type, json_schema: described } = isObject(format) ? format : {};
  if (type === 'json_schema' && isObject(described) && isObject(described.schema)) {
    return { format: { type: 'json_schema', schema: described.schema } };
  }
  const form = '{"type": "json_schema", "json_schema": {"name": "…", "schema": {…}}}';
  throw new StepError('config', `Node '${nodeId}', response_format: providers of type provider_b take only ${form}.`);
}
