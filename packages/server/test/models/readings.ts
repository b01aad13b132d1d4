import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Json, ModelAnswer, ModelRequest } from '@millrace/core';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { createAskModel } from '../../src/models/model-calls.ts';
import { modelCaller } from '../support/model-caller.ts';
import { credentials, goodKey, type Providers } from '../support/providers.ts';

export type Protocol = 'openai' | 'anthropic';

/** What a reader makes of an answer. */
export interface Reading {
  readonly text: string;
  /** Each with its id, its tool, and its arguments; 'invalid' for arguments that are no JSON object. */
  readonly calls: readonly (readonly [id: string, tool: string, args: Json])[];
  readonly stop: string;
  /** Input tokens, output tokens, and those of the input that came from a cache. */
  readonly tokens: readonly [number, number, number];
}

/** How an answer is read: as a whole, or as a stream. */
export type Way = 'whole' | 'streamed';

/** What our reader makes of the provider's next answer; null if it fails. */
export async function ownReading(providers: Providers, protocol: Protocol, way: Way): Promise<Reading | null> {
  const askModel = createAskModel({ endpoints: providers.endpoints(), clock: new VirtualTime().clock });
  const caller = modelCaller(way === 'streamed' ? { listen: () => undefined } : {});
  const answer = await askModel(requestFor(credentials[protocol]), caller).catch(() => null);
  return answer && readingOf(answer);
}

function readingOf({ text, calls = [], stop, inputTokens, outputTokens, cachedInputTokens = 0 }: ModelAnswer): Reading {
  return {
    text,
    calls: calls.map(({ id, tool, arguments: args, problem }) => [id, tool, problem === undefined ? args : 'invalid']),
    stop,
    tokens: [inputTokens, outputTokens, cachedInputTokens],
  };
}

function requestFor(credentialId: number): ModelRequest {
  const settings = { temperature: null, maxTokens: null, frequencyPenalty: null, presencePenalty: null, topP: null };
  return {
    askedBy: 'agent',
    nodeId: 'gpt',
    credentialId,
    model: 'small',
    system: '',
    messages: [{ role: 'user', content: 'Hello' }],
    settings: { ...settings, responseFormat: null },
  };
}

/** What the public SDK makes of the provider's next answer; null if it fails. */
export async function sdkReading(providers: Providers, protocol: Protocol, way: Way): Promise<Reading | null> {
  const base = { baseURL: `${providers.url}/v1`, apiKey: goodKey };
  const model =
    protocol === 'anthropic'
      ? createAnthropic(base).languageModel('small')
      : createOpenAICompatible({ ...base, name: 'provider' }).chatModel('small');
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  try {
    if (way === 'whole') return readingOfParts(wholeParts(await model.doGenerate({ prompt })));
    const parts: Part[] = [];
    for await (const part of (await model.doStream({ prompt })).stream) parts.push(part as Part);
    return readingOfParts(parts);
  } catch {
    return null;
  }
}

/** The parts of an answer in the SDK's terms that a reading needs. */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: string;
  readonly finishReason?: { readonly unified: string };
  readonly usage?: {
    readonly inputTokens: { readonly total?: number; readonly cacheRead?: number };
    readonly outputTokens: { readonly total?: number };
  };
}

function wholeParts(result: { readonly content: readonly object[] }): readonly Part[] {
  return [...(result.content as readonly Part[]), { ...result, type: 'finish' }];
}

const stops: Readonly<Record<string, string>> = {
  stop: 'end',
  'content-filter': 'refusal',
  'tool-calls': 'calls',
};

function readingOfParts(parts: readonly Part[]): Reading | null {
  const end = parts.find(({ type }) => type === 'finish');
  if (end === undefined || parts.some(({ type }) => type === 'error')) return null;
  const { usage, finishReason: { unified } = { unified: 'none' } } = end;
  return {
    text: parts
      .map((part) => (part.type === 'text' ? part.text : part.type === 'text-delta' && part.delta) || '')
      .join(''),
    calls: parts
      .filter(({ type }) => type === 'tool-call')
      .map(({ toolCallId = '', toolName = '', input = '' }) => [toolCallId, toolName, argumentsIn(input)]),
    stop: stops[unified] ?? unified,
    tokens: [usage?.inputTokens.total ?? 0, usage?.outputTokens.total ?? 0, usage?.inputTokens.cacheRead ?? 0],
  };
}

/** As the SDK reads them before it calls a tool: no text is no arguments. */
function argumentsIn(input: string): Json {
  if (input.trim() === '') return {};
  try {
    const value = JSON.parse(input) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'invalid';
  } catch {
    return 'invalid';
  }
}
