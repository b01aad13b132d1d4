import {
  isObject,
  type JsonObject,
  type ModelMessage,
  type ModelRequest,
  type ModelStop,
  StepError,
} from '@millrace/core';
import { z } from 'zod';
import { OpenaiMessage, writtenCalls, writtenTools } from './openai-tool-calls.ts';
import { type AnswerReader, type ChatProtocol, type ChatRequest, extraFor, given } from './protocol.ts';
import { errorIn, eventJson } from './stream-event.ts';
import { cachedTokens, type TokensOfAnswer, tokenCount } from './token-count.ts';
import { endOfAnswer } from './tool-calls.ts';

const parts = z.array(z.object({ type: z.string(), text: z.string().optional() }));

/** Some servers send `false`. */
const refusal = z.string().nullish().catch(null);

const completion = z.object({
  choices: z.tuple(
    [
      z.object({
        message: z.looseObject({ content: z.union([z.string(), parts]).nullish(), refusal }),
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
    const sent = new OpenaiMessage(false);
    sent.add(message as JsonObject);
    const { calls, ...extra } = sent.end((text) => text);
    const stop = message.refusal ? 'refusal' : stopOf(reason);
    return { text: textOf(message.content), ...endOfAnswer(stop, calls), ...extra, ...tokensOf(usage) };
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
      delta: z.looseObject({ content: z.union([z.string(), parts]).nullish(), refusal }).nullish(),
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
  readonly #message = new OpenaiMessage(true);
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
    if (choice?.delta) this.#message.add(choice.delta as JsonObject);
    return textOf(choice?.delta?.content);
  }

  get heldLength(): number {
    return this.#message.length;
  }

  end(mask: (text: string) => string): ReturnType<AnswerReader['end']> {
    // Some servers omit the end marker, and some the reason.
    if (!this.#isWhole && this.#reason === null) return null;
    const { calls, ...extra } = this.#message.end(mask);
    const stop = this.#declined ? 'refusal' : stopOf(this.#reason);
    return { ...endOfAnswer(stop, calls), ...extra, ...tokensOf(this.#usage) };
  }
}

function requestOf(body: JsonObject): ChatRequest {
  return { path: '/chat/completions', body };
}

const stops: ReadonlyMap<string, ModelStop> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
]);

function bodyOf({ nodeId, model, settings, extras, system, messages, tools }: ModelRequest): JsonObject {
  const { responseFormat } = settings;
  if (responseFormat !== null && !isObject(responseFormat)) {
    throw new StepError('config', `Node '${nodeId}', response_format must be an object, e.g. {"type": "json_object"}.`);
  }
  const history = messages.map((message) => written(message, model));
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
    ...(tools !== undefined && tools.list.length > 0 && writtenTools(tools)),
  };
}

function written(message: ModelMessage, model: string): JsonObject {
  const { role, content } = message;
  if (role === 'tool') return { role, tool_call_id: message.id, content };
  if (role === 'user') return { role, content };
  const { calls = [], raw } = message;
  const extra = extraFor(raw, { protocol: 'provider_a_compatible', model });
  const more = extra !== null && isObject(extra) ? extra : {};
  const { tool_calls: _calls, ...own } = more;
  if (calls.length === 0) return { ...own, role, content };
  return { ...own, role, content: content === '' ? null : content, tool_calls: writtenCalls(calls, more) };
}

/** OpenAI's reasoning models reject the old name of the limit, and other servers do not support the new one. */
function limitKeyFor(model: string): 'max_completion_tokens' | 'max_tokens' {
  return /^(o[1-9]|gpt-[5-9])/.test(model) ? 'max_completion_tokens' : 'max_tokens';
}
