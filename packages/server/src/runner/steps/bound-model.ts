import {
  addAnswer,
  addUsage,
  isObject,
  type Json,
  type ModelAnswer,
  type ModelExtras,
  type ModelPort,
  type ModelPrices,
  type ModelPrompt,
  type ModelRequest,
  type ModelSettings,
  type ModelUsage,
  missingConnection,
  modelIn,
  modelSlot,
  noUsage,
  type PlanNode,
  type Spent,
  StepError,
  type StepUsage,
  type SubComponent,
} from '@millrace/core';
import type { Estimate, Settle } from '../budgets.ts';
import type { Tokens } from '../ports.ts';

interface BoundModelParts {
  /** Calls a model for this attempt. */
  readonly ask: (request: ModelRequest, listen: ((text: string) => void) | undefined) => Promise<ModelAnswer>;
  /** Reserves a part of the workflow's budget. */
  readonly hold: (estimate: () => Estimate) => Promise<Settle>;
  readonly node: PlanNode;
  /** Publishes the text as it is generated; null if there are no subscribers. */
  readonly listen: () => Tokens | null;
}

/** The model of one attempt of a node: calls it with the node's settings, and counts the usage. */
export class BoundModel implements ModelPort {
  readonly #ask: BoundModelParts['ask'];
  readonly #hold: BoundModelParts['hold'];
  readonly #node: PlanNode;
  readonly #listen: () => Tokens | null;
  #tokens: Tokens | null = null;
  #usage: ModelUsage = noUsage;

  constructor({ ask, hold, node, listen }: BoundModelParts) {
    this.#ask = ask;
    this.#hold = hold;
    this.#node = node;
    this.#listen = listen;
  }

  get usage(): StepUsage {
    const model = modelIn(this.#node.subs)?.common.model_name;
    return typeof model === 'string' ? { ...this.#usage, by: { nodeId: this.#node.nodeId, model } } : this.#usage;
  }

  async ask({ system, messages, tools, isAside = false }: ModelPrompt): Promise<ModelAnswer> {
    const model = modelIn(this.#node.subs);
    if (model === undefined) {
      throw new StepError('missing_connection', missingConnection(this.#node.nodeId, modelSlot));
    }
    const { nodeId, common } = model;
    const asked = {
      askedBy: this.#node.nodeId,
      nodeId,
      credentialId: common.llm_credential_id,
      model: common.model_name,
      extras: extrasOf(model),
      system,
      messages,
      ...(tools !== undefined && { tools }),
    };
    const settings = settingsOf(this.#node);
    const request = { ...asked, settings: isAside ? { ...settings, responseFormat: null, maxTokens: null } : settings };
    const prices = pricesOf(model);
    const settle = await this.#hold(() => estimateOf(request, prices));
    const tokens = isAside ? null : this.#open();
    let used = noUsage;
    try {
      const answer = await this.#ask(request, tokens === null ? undefined : (text) => tokens.push(text));
      used = addAnswer(noUsage, answer, prices);
      this.#usage = addUsage(this.#usage, used);
      return answer;
    } finally {
      settle(spentBy(used));
      tokens?.flush();
    }
  }

  /** Opened once for all calls of the attempt, so that its text is continuous. */
  #open(): Tokens | null {
    this.#tokens ??= this.#listen();
    return this.#tokens;
  }
}

/** Tokens of an answer without `max_tokens`: the most that many models write. */
const usualAnswer = 8192;

/** Providers bill about one token for four characters. */
function estimateOf(request: ModelRequest, prices: ModelPrices): Estimate {
  const { maxTokens } = request.settings;
  const inputTokens = Math.ceil(charactersOf(request) / 4);
  const withAnswer = (outputTokens: number) => spentBy(addAnswer(noUsage, { inputTokens, outputTokens }, prices));
  return { least: withAnswer(maxTokens ?? 0), usual: withAnswer(maxTokens ?? usualAnswer) };
}

/** Of the whole prompt, with the descriptions of the tools and the calls so far. */
function charactersOf({ system, messages, tools }: ModelRequest): number {
  const calls = messages.flatMap((message) => ('calls' in message ? (message.calls ?? []) : []));
  const texts = [
    system,
    ...messages.map(({ content }) => content),
    JSON.stringify(tools?.list ?? []),
    JSON.stringify(calls),
  ];
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function spentBy({ inputTokens, outputTokens, costUsd }: ModelUsage): Spent {
  return { tokens: inputTokens + outputTokens, usd: costUsd };
}

function settingsOf({ common }: PlanNode): ModelSettings {
  return {
    temperature: common.temperature,
    maxTokens: common.max_tokens,
    frequencyPenalty: common.frequency_penalty,
    presencePenalty: common.presence_penalty,
    topP: common.top_p,
    responseFormat: common.response_format,
  };
}

/** For a model node of any type: a missing price is 0, and cached tokens have the price of others by default. */
function pricesOf({ common }: SubComponent): ModelPrices {
  const price = (key: string): number | null => {
    const value = ownSetting(common, key);
    return typeof value === 'number' ? value : null;
  };
  const input = price('input_price') ?? 0;
  return { input, cachedInput: price('cached_input_price') ?? input, output: price('output_price') ?? 0 };
}

function extrasOf({ common }: SubComponent): ModelExtras {
  const [limitKey, effort, body] = ['limit_key', 'reasoning_effort', 'extra_body'].map((key) =>
    ownSetting(common, key),
  );
  return {
    limitKey: limitKey === 'max_tokens' || limitKey === 'max_completion_tokens' ? limitKey : null,
    reasoningEffort: typeof effort === 'string' ? effort : null,
    isCached: ownSetting(common, 'prompt_cache') !== false,
    body: body !== undefined && isObject(body) ? body : {},
  };
}

function ownSetting({ extra_config: config }: SubComponent['common'], key: string): Json | undefined {
  return Object.hasOwn(config, key) ? config[key] : undefined;
}
