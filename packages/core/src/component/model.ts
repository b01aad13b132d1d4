import type { Json } from '../json.ts';

/** One message of a conversation with a model. What the model is told beforehand is the system prompt, no message. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** How a model is asked. Null leaves a setting to the provider. */
export interface ModelSettings {
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly topP: number | null;
  /** As the OpenAI-compatible API writes it: `{"type": "json_schema", "json_schema": {…}}`. */
  readonly responseFormat: Json;
}

/** One call of a model. */
export interface ModelRequest {
  /** The node whose step asks. */
  readonly askedBy: string;
  /** The node that describes the model: errors name it. */
  readonly nodeId: string;
  readonly credentialId: number | null;
  readonly model: string;
  readonly settings: ModelSettings;
  /** Empty for none. */
  readonly system: string;
  readonly messages: readonly ModelMessage[];
}

/** Why a model stopped: at its end, at `max_tokens`, because it declined, or for a reason of the provider's own. */
export type ModelStop = 'end' | 'length' | 'refusal' | 'other';

/** What a model answered. */
export interface ModelAnswer {
  readonly text: string;
  readonly stop: ModelStop;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What the model calls of a step, or of a whole run, took. */
export interface ModelUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the prices of the model's node; 0 where it has none. */
  readonly costUsd: number;
}

/** Nothing used. */
export const noUsage: ModelUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** What a node asks its model. */
export interface ModelPrompt {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** It is not the answer that is asked for: nobody hears it come, and it has neither the answer's form nor its limit. */
  readonly isAside?: boolean;
}

/** The model of a node, as the node's component sees it. */
export interface ModelPort {
  /** Asks the model once. @throws StepError with a code `model_…` or `credential_…` */
  ask(prompt: ModelPrompt): Promise<ModelAnswer>;
  /** What this attempt has used so far. */
  readonly usage: ModelUsage;
}

/** US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
}

/** The usage after one more answer. */
export function addAnswer(usage: ModelUsage, answer: ModelAnswer, prices: ModelPrices): ModelUsage {
  const { inputTokens, outputTokens } = answer;
  const cost = (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
  return addUsage(usage, { calls: 1, inputTokens, outputTokens, costUsd: cost });
}

/** Both together. */
export function addUsage(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    calls: left.calls + right.calls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    costUsd: left.costUsd + right.costUsd,
  };
}
