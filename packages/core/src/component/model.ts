import type { Json, JsonObject } from '../json.ts';
import type { ToolCall } from './tools/tool-call.ts';

/** One message of a conversation with a model. The system prompt is not a message. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly calls?: readonly ToolCall[];
      /** The message as the model's provider sent it, if it has more than text and calls. It is sent back unchanged. */
      readonly raw?: RawMessage | undefined;
    }
  /** The result of a tool call. */
  | { readonly role: 'tool'; readonly id: string; readonly content: string; readonly isError: boolean };

/** A message in the form of a provider, such as one with signed reasoning. Only its own protocol and model read it. */
export interface RawMessage extends JsonObject {
  readonly protocol: string;
  readonly model: string;
  readonly message: Json;
}

/** A tool that a model may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** Which tools a model may, or must, call: any of them, at least one, none, or the one with this name. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly name: string };

/** The tools of a model call. */
export interface ModelTools {
  readonly list: readonly ModelTool[];
  readonly choice: ToolChoice;
  /** Whether the model may ask for several calls at once. */
  readonly isParallel: boolean;
}

/** The settings of a model call. Null leaves a setting to the provider. */
export interface ModelSettings {
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly topP: number | null;
  /** In the format of the OpenAI-compatible API: `{"type": "json_schema", "json_schema": {…}}`. */
  readonly responseFormat: Json;
}

/** What the model's node adds to each request. */
export interface ModelExtras {
  /** The name of `maxTokens` in the OpenAI-compatible API; null to choose it by the name of the model. */
  readonly limitKey: 'max_tokens' | 'max_completion_tokens' | null;
  /** How much the model thinks, in the provider's words; null for its default. */
  readonly reasoningEffort: string | null;
  /** Whether the provider is asked to cache what the calls of one agent have in common. */
  readonly isCached: boolean;
  /** Further keys of the request's body. */
  readonly body: JsonObject;
}

/** One call of a model. */
export interface ModelRequest {
  /** The node whose step calls the model. */
  readonly askedBy: string;
  /** The node that describes the model, for error messages. */
  readonly nodeId: string;
  readonly credentialId: number | null;
  readonly model: string;
  readonly settings: ModelSettings;
  readonly extras?: ModelExtras;
  /** Empty for none. */
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: ModelTools | undefined;
}

/** The reason why a model stopped: its end, calls of tools, `max_tokens`, a refusal, or a provider-specific one. */
export type ModelStop = 'end' | 'calls' | 'length' | 'refusal' | 'other';

/** The answer of a model. */
export interface ModelAnswer {
  readonly text: string;
  readonly stop: ModelStop;
  /** The calls of tools that it asks for. Omitted if there are none. */
  readonly calls?: readonly ToolCall[];
  readonly raw?: RawMessage;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Those of the input tokens that the provider has read from its cache. Omitted if it reports none. */
  readonly cachedInputTokens?: number;
}

/** The usage of the model calls of a step or of a whole run. */
export interface ModelUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Calculated with the prices of the model's node; 0 if it has none. */
  readonly costUsd: number;
}

/** The usage of a step's model calls, with the node that asked and the model. */
export interface StepUsage extends ModelUsage {
  /** Absent in the journals of earlier versions. */
  readonly by?: ModelCaller;
}

/** Which node called which model. */
export interface ModelCaller {
  readonly nodeId: string;
  /** The name as it was sent to the provider. */
  readonly model: string;
}

/** No usage. */
export const noUsage: ModelUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** A node's request to its model. */
export interface ModelPrompt {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** An intermediate answer: it is not streamed, and has neither the format nor the limit of the final answer. */
  readonly isAside?: boolean;
  /** For the log entry of the call. */
  readonly metadata?: JsonObject;
  readonly tools?: ModelTools | undefined;
}

/** The model of a node, as its component uses it. */
export interface ModelPort {
  /**
   * Calls the model once.
   * @throws StepError with a code `model_…` or `credential_…`
   */
  ask(prompt: ModelPrompt): Promise<ModelAnswer>;
  /** The usage of this attempt so far. */
  readonly usage: StepUsage;
}

/** US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** The usage including one more answer. */
export function addAnswer(
  usage: ModelUsage,
  answer: Pick<ModelAnswer, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'>,
  prices: ModelPrices,
): ModelUsage {
  const { inputTokens, outputTokens } = answer;
  const cached = Math.min(answer.cachedInputTokens ?? 0, inputTokens);
  const inputCost = (inputTokens - cached) * prices.input + cached * prices.cachedInput;
  const cost = (inputCost + outputTokens * prices.output) / 1_000_000;
  return addUsage(usage, { calls: 1, inputTokens, outputTokens, costUsd: cost });
}

/** The sum of both. */
export function addUsage(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    calls: left.calls + right.calls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    costUsd: left.costUsd + right.costUsd,
  };
}
