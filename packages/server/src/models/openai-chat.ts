import { isObject, type JsonObject, type ModelRequest, type ModelStop, StepError } from '@millrace/core';
import { z } from 'zod';
import { type AnswerReader, type ChatProtocol, type ChatRequest, given } from './protocol.ts';
import { errorIn, eventJson } from './stream-event.ts';
import { cachedTokens, type TokensOfAnswer, tokenCount } from './token-count.ts';

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
  usage: z
    .object({
      prompt_tokens: tokenCount,
      completion_tokens: tokenCount,
      prompt_tokens_details: z.object({ cached_tokens: tokenCount }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

/** The OpenAI-compatible `/chat/completions`. */
export const openaiChat: ChatProtocol = {
  request: (call) => requestOf(bodyOf(call)),
  streamed: (call) => requestOf({ ...bodyOf(call), stream: true, stream_options: { include_usage: true } }),
  reader: () => new OpenaiReader(),
  read(body) {
    const parsed = completion.safeParse(body);
    if (!parsed.success) return null;
    const { choices, usage } = parsed.data;
    const { message, finish_reason: reason } = choices[0];
    const stop = message.refusal ? 'refusal' : stopOf(reason);
    return { text: textOf(message.content), stop, ...tokensOf(usage) };
  },
};

function textOf(content: string | z.infer<typeof parts> | null | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
}

function stopOf(reason: string | null | undefined): ModelStop {
  return stops.get(reason ?? 'stop') ?? 'other';
}

/** Some local servers do not count tokens. */
function tokensOf(usage: z.infer<typeof completion>['usage']): TokensOfAnswer {
  return {
    inputTokens: usage?.prompt_tokens ?? 0,
    outputTokens: usage?.completion_tokens ?? 0,
    ...cachedTokens(usage?.prompt_tokens_details?.cached_tokens),
  };
}

/** One event of a streamed answer. The last ones may have no choice, only the usage. */
const chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({ content: z.union([z.string(), parts]).nullish(), refusal: z.string().nullish() }).nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: completion.shape.usage,
});

class OpenaiReader implements AnswerReader {
  error: string | null = null;
  isGarbled = false;
  #reason: string | null = null;
  #isWhole = false;
  #declined = false;
  #usage: z.infer<typeof chunk>['usage'] = null;

  take(data: string): string {
    if (data === '[DONE]') {
      this.#isWhole = true;
      return '';
    }
    const event = eventJson(data);
    this.isGarbled ||= event === undefined;
    this.error ??= errorIn(event);
    const parsed = chunk.safeParse(event);
    if (!parsed.success) return '';
    const { choices, usage } = parsed.data;
    this.#usage = usage ?? this.#usage;
    const [choice] = choices;
    this.#reason = choice?.finish_reason ?? this.#reason;
    if (choice?.delta?.refusal) this.#declined = true;
    return textOf(choice?.delta?.content);
  }

  end(): ReturnType<AnswerReader['end']> {
    // Some servers omit the end marker, and some the reason.
    if (!this.#isWhole && this.#reason === null) return null;
    return { stop: this.#declined ? 'refusal' : stopOf(this.#reason), ...tokensOf(this.#usage) };
  }
}

function requestOf(body: JsonObject): ChatRequest {
  return { path: '/chat/completions', body };
}

const stops: ReadonlyMap<string, ModelStop> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
]);

function bodyOf({ nodeId, model, settings, extras, system, messages }: ModelRequest): JsonObject {
  const { responseFormat } = settings;
  if (responseFormat !== null && !isObject(responseFormat)) {
    throw new StepError('config', `Node '${nodeId}', response_format must be an object, e.g. {"type": "json_object"}.`);
  }
  const history = messages.map(({ role, content }) => ({ role, content }));
  return {
    ...extras?.body,
    model,
    messages: system === '' ? history : [{ role: 'system', content: system }, ...history],
    stream: false,
    ...given(extras?.limitKey ?? limitKeyFor(model), settings.maxTokens),
    ...given('temperature', settings.temperature),
    ...given('top_p', settings.topP),
    ...given('frequency_penalty', settings.frequencyPenalty),
    ...given('presence_penalty', settings.presencePenalty),
    ...given('response_format', responseFormat),
    ...given('reasoning_effort', extras?.reasoningEffort ?? null),
  };
}

/** OpenAI's reasoning models reject the old name of the limit, and other servers do not support the new one. */
function limitKeyFor(model: string): 'max_completion_tokens' | 'max_tokens' {
  return /^(o[1-9]|gpt-[5-9])/.test(model) ? 'max_completion_tokens' : 'max_tokens';
}
