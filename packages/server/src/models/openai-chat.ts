import { isObject, type Json, type ModelRequest, type ModelStop, StepError } from '@millrace/core';
import { z } from 'zod';
import { type ChatProtocol, given } from './protocol.ts';
import { tokenCount } from './token-count.ts';

const parts = z.array(z.object({ type: z.string(), text: z.string().optional() }));

const completion = z.object({
  choices: z.tuple(
    [
      z.object({
        message: z.object({ content: z.union([z.string(), parts]).nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    ],
    z.unknown(),
  ),
  usage: z.object({ prompt_tokens: tokenCount, completion_tokens: tokenCount }).nullish().catch(null),
});

/** The OpenAI-compatible `/chat/completions`. */
export const openaiChat: ChatProtocol = {
  request: (call) => ({ method: 'POST', path: '/chat/completions', body: JSON.stringify(bodyOf(call)) }),
  read(body) {
    const parsed = completion.safeParse(body);
    if (!parsed.success) return null;
    const { choices, usage } = parsed.data;
    const { message, finish_reason: reason } = choices[0];
    const content = message.content ?? '';
    return {
      text: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
      stop: message.refusal ? 'refusal' : (stops.get(reason ?? 'stop') ?? 'other'),
      // Some local servers count nothing.
      inputTokens: usage?.prompt_tokens ?? 0,
      outputTokens: usage?.completion_tokens ?? 0,
    };
  },
};

const stops: ReadonlyMap<string, ModelStop> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
]);

function bodyOf({ nodeId, model, settings, system, messages }: ModelRequest): Json {
  const { responseFormat } = settings;
  if (responseFormat !== null && !isObject(responseFormat)) {
    throw new StepError('config', `Node '${nodeId}', response_format must be an object, e.g. {"type": "json_object"}.`);
  }
  const said = messages.map(({ role, content }) => ({ role, content }));
  return {
    model,
    messages: system === '' ? said : [{ role: 'system', content: system }, ...said],
    stream: false,
    ...given(limitKey(model), settings.maxTokens),
    ...given('temperature', settings.temperature),
    ...given('top_p', settings.topP),
    ...given('frequency_penalty', settings.frequencyPenalty),
    ...given('presence_penalty', settings.presencePenalty),
    ...given('response_format', responseFormat),
  };
}

/** OpenAI's reasoning models refuse the old name of the limit, and other servers do not know the new one. */
function limitKey(model: string): 'max_completion_tokens' | 'max_tokens' {
  return /^(o[1-9]|gpt-[5-9])/.test(model) ? 'max_completion_tokens' : 'max_tokens';
}
