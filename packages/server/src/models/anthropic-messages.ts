import {
  isObject,
  type Json,
  type JsonObject,
  type ModelRequest,
  type ModelSettings,
  type ModelStop,
  StepError,
} from '@millrace/core';
import { z } from 'zod';
import { AnthropicContent, writtenMessages, writtenTools } from './anthropic-content.ts';
import { withCacheMarks } from './prompt-cache.ts';
import { type AnswerReader, type ChatProtocol, type ChatRequest, given } from './protocol.ts';
import { errorIn, eventJson } from './stream-event.ts';
import { cachedTokens, type TokensOfAnswer, tokenCount } from './token-count.ts';
import { endOfAnswer } from './tool-calls.ts';

/** The limit of an answer is required; every current model accepts this one, which leaves room for some thinking. */
const defaultMaxTokens = 8192;

const message = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
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
  request: (call) => requestOf(bodyOf(call)),
  streamed: (call) => requestOf({ ...bodyOf(call), stream: true }),
  reader: () => new AnthropicReader(),
  read(body) {
    const parsed = message.safeParse(body);
    if (!parsed.success) return null;
    const { content, stop_reason: reason, usage } = parsed.data;
    const blocks = new AnthropicContent();
    for (const [index, block] of content.entries()) blocks.begin(index, block as JsonObject);
    const { calls, ...extra } = blocks.end((text) => text);
    return {
      text: content.map(({ type, text = '' }) => (type === 'text' ? text : '')).join(''),
      ...endOfAnswer(stopOf(reason), calls),
      ...extra,
      ...inputTokensOf(usage),
      outputTokens: usage?.output_tokens ?? 0,
    };
  },
};

/** One event of a streamed answer, whatever its type. */
const event = z.object({
  type: z.string(),
  message: z.object({ usage: message.shape.usage }).nullish(),
  index: z.number().optional(),
  content_block: z.looseObject({ type: z.string(), text: z.string().optional() }).nullish(),
  delta: z
    .looseObject({ type: z.string().optional(), text: z.string().optional(), stop_reason: z.string().nullish() })
    .nullish(),
  usage: message.shape.usage,
});

class AnthropicReader implements AnswerReader {
  error: string | null = null;
  isGarbled = false;
  #reason: string | null = null;
  #isWhole = false;
  #usage: Usage = null;
  readonly #content = new AnthropicContent();

  take(data: string): string {
    const json = eventJson(data);
    this.isGarbled ||= json === undefined;
    this.error ??= errorIn(json);
    const parsed = event.safeParse(json);
    if (!parsed.success) return '';
    const { type, message: begun, index = 0, content_block: block, delta, usage } = parsed.data;
    switch (type) {
      case 'message_start':
        this.#usage = begun?.usage ?? null;
        return '';
      case 'content_block_start':
        if (block) this.#content.begin(index, block as JsonObject);
        return block?.type === 'text' ? (block.text ?? '') : '';
      case 'content_block_delta':
        if (delta) this.#content.add(index, delta as JsonObject);
        return delta?.type === 'text_delta' ? (delta.text ?? '') : '';
      case 'message_delta':
        this.#reason = delta?.stop_reason ?? this.#reason;
        this.#usage = totalOf(this.#usage, usage ?? null);
        return '';
      case 'message_stop':
        this.#isWhole = true;
        return '';
      default:
        return '';
    }
  }

  get heldLength(): number {
    return this.#content.length;
  }

  end(mask: (text: string) => string): ReturnType<AnswerReader['end']> {
    if (!this.#isWhole) return null;
    const { calls, ...extra } = this.#content.end(mask);
    const end = endOfAnswer(stopOf(this.#reason), calls);
    return { ...end, ...extra, ...inputTokensOf(this.#usage), outputTokens: this.#usage?.output_tokens ?? 0 };
  }
}

function stopOf(reason: string | null | undefined): ModelStop {
  return stops.get(reason ?? 'end_turn') ?? 'other';
}

type Usage = NonNullable<z.infer<typeof message>['usage']> | null;

/** The total so far: later counts are not increments. Some servers count the input only at the end. */
function totalOf(before: Usage, after: Usage): Usage {
  if (before === null || after === null) return after ?? before;
  return {
    input_tokens: after.input_tokens || before.input_tokens,
    output_tokens: after.output_tokens || before.output_tokens,
    cache_creation_input_tokens: after.cache_creation_input_tokens || before.cache_creation_input_tokens,
    cache_read_input_tokens: after.cache_read_input_tokens || before.cache_read_input_tokens,
  };
}

type InputTokens = Omit<TokensOfAnswer, 'outputTokens'>;

function inputTokensOf(usage: Usage | undefined): InputTokens {
  if (!usage) return { inputTokens: 0 };
  const cached = usage.cache_read_input_tokens;
  return {
    inputTokens: usage.input_tokens + usage.cache_creation_input_tokens + cached,
    ...cachedTokens(cached),
  };
}

function requestOf(body: JsonObject): ChatRequest {
  return { path: '/v1/messages', body };
}

const stops: ReadonlyMap<string, ModelStop> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  ['tool_use', 'calls'],
]);

function bodyOf({ nodeId, model, settings, extras, system, messages, tools }: ModelRequest): JsonObject {
  rejectPenalties(nodeId, settings);
  const format = outputFormat(nodeId, settings.responseFormat);
  const effort = given('effort', extras?.reasoningEffort ?? null);
  const output = { ...given('format', format), ...effort };
  const body: JsonObject = {
    ...extras?.body,
    model,
    max_tokens: settings.maxTokens ?? defaultMaxTokens,
    messages: writtenMessages(messages, model),
    ...given('system', system === '' ? null : system),
    ...given('temperature', settings.temperature),
    ...given('top_p', settings.topP),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(tools !== undefined && tools.list.length > 0 && writtenTools(tools)),
  };
  // Writing to the cache costs more than not using it, so it pays only where another call follows: with tools.
  return extras?.isCached === true && 'tools' in body ? withCacheMarks(body) : body;
}

function rejectPenalties(nodeId: string, { frequencyPenalty, presencePenalty }: ModelSettings): void {
  const penalties = [
    ['frequency_penalty', frequencyPenalty],
    ['presence_penalty', presencePenalty],
  ] as const;
  for (const [key, value] of penalties) {
    if (value)
      throw new StepError('config', `Node '${nodeId}', ${key}: providers of type provider_b have no such setting.`);
  }
}

/** The response format in this protocol's terms. */
function outputFormat(nodeId: string, format: Json): Json {
  if (format === null || (isObject(format) && format.type === 'text')) return null;
  const { type, json_schema: described } = isObject(format) ? format : {};
  if (type === 'json_schema' && isObject(described) && isObject(described.schema)) {
    return { type: 'json_schema', schema: described.schema };
  }
  const form = '{"type": "json_schema", "json_schema": {"name": "…", "schema": {…}}}';
  throw new StepError('config', `Node '${nodeId}', response_format: providers of type provider_b accept only ${form}.`);
}
