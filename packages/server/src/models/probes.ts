import { type Json, runThrough, StepError } from '@millrace/core';
import type { Clock, Timers } from '../ground/clock.ts';
import type { LlmEndpoint, LlmRequest, LlmResponse } from '../secrets/llm-endpoint.ts';
import { curatedModels, type ListedModel, smallestModel } from './curated-models.ts';
import { modelsIn } from './model-list.ts';
import { errorInside, issueOf, jsonOf, type ProviderError, unreadable } from './provider-error.ts';

/** Small requests to a provider: whether the key works, and which models there are. */
export interface Probes {
  /** Null if the key works; otherwise a message with the cause, never the provider's own text. */
  test(endpoint: LlmEndpoint): Promise<string | null>;
  /** By id; empty with a warning of the same kind if the provider gives no valid answer. */
  list(endpoint: LlmEndpoint): Promise<{ readonly models: readonly ListedModel[]; readonly warning: string | null }>;
}

interface ProbePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
}

/** A valid answer. */
interface Asked {
  readonly response: LlmResponse;
  /** Undefined if it is not JSON. */
  readonly body: Json | undefined;
  /** Whether it is an error that proves that the key works. */
  readonly isUnderstood: boolean;
}

/** How long a person waits after pressing a button. */
const limitSeconds = 15;
/** A thousand models take a fifth of this. */
const maxListBytes = 1024 * 1024;

const redirectedAway = 'The provider redirects to another address, to which the API key is not sent: check base_url.';
const tooLate = `The provider did not respond within ${limitSeconds} seconds.`;

export function createProbes({ clock, timers }: ProbePorts): Probes {
  /** The error of an answer, also one inside an answer with a status of success, with the JSON of the answer. */
  function read(response: LlmResponse): { readonly error: ProviderError | null; readonly body: Json | undefined } {
    const error = issueOf(response, clock.now());
    if (error !== null) return { error, body: undefined };
    const body = runThrough(jsonOf(response, maxListBytes));
    return { error: body === undefined ? null : errorInside(body, response.status), body };
  }

  /** The valid answer with its JSON, or a message why there is none. */
  async function ask(endpoint: LlmEndpoint, request: LlmRequest, signal: AbortSignal): Promise<Asked | string> {
    const response = await sent(endpoint, request, signal);
    if (typeof response === 'string') return response;
    const { error, body } = read(response);
    if (error === null || isModelUnknown(endpoint, error)) return { response, body, isUnderstood: error !== null };
    return response.lacksSecrets ? redirectedAway : sentenceOf(error);
  }

  async function tested(endpoint: LlmEndpoint, signal: AbortSignal): Promise<string | null> {
    const answer = await ask(endpoint, testRequest(endpoint), signal);
    if (typeof answer === 'string') return answer;
    // An answer from another origin, which did not get the key, does not show whether the key works.
    const { response, body, isUnderstood } = answer;
    if (response.lacksSecrets) return redirectedAway;
    if (body === undefined && !isUnderstood) return sentenceOf(unreadable(response.status));
    const isListed = endpoint.providerType === 'provider_a_compatible';
    if (!isListed || !endpoint.hasSecrets || !(await isForAll(endpoint, signal))) return null;
    return testedByQuestion(endpoint, modelsIn(body ?? null)?.[0]?.id ?? '', signal);
  }

  /** Whether the provider's model list is public: then reading it proves nothing about the key. */
  async function isForAll(endpoint: LlmEndpoint, signal: AbortSignal): Promise<boolean> {
    return typeof (await ask(endpoint, { ...modelsRequest, isAnonymous: true }, signal)) !== 'string';
  }

  /** Requests one token. A provider that has no such model, or does not accept the request, has accepted the key. */
  async function testedByQuestion(endpoint: LlmEndpoint, model: string, signal: AbortSignal): Promise<string | null> {
    const body = JSON.stringify({ model, max_tokens: 1, messages: smallestQuestion });
    const response = await sent(endpoint, { method: 'POST', path: '/chat/completions', body }, signal);
    if (typeof response === 'string') return response;
    if (response.lacksSecrets) return redirectedAway;
    const { error } = read(response);
    return error === null || error.kind === 'rejected' || error.kind === 'not_found' ? null : sentenceOf(error);
  }

  return {
    test: (endpoint) => within(timers, (signal) => tested(endpoint, signal)),
    async list(endpoint) {
      if (endpoint.providerType === 'provider_b') return { models: curatedModels, warning: null };
      const answer = await within(timers, (signal) => ask(endpoint, modelsRequest, signal));
      if (typeof answer === 'string') return { models: [], warning: answer };
      const models = answer.body === undefined ? null : modelsIn(answer.body);
      return models === null
        ? { models: [], warning: sentenceOf(unreadable(answer.response.status)) }
        : { models, warning: null };
    },
  };
}

const modelsRequest: LlmRequest = { method: 'GET', path: '/models', body: null };

const smallestQuestion = [{ role: 'user', content: 'Hi' }];

/** The smallest call for which most providers require the key: it costs nothing, or the price of one token. */
function testRequest({ providerType }: LlmEndpoint): LlmRequest {
  if (providerType === 'provider_a_compatible') return modelsRequest;
  const body = { model: smallestModel, max_tokens: 1, messages: smallestQuestion };
  return { method: 'POST', path: '/v1/messages', body: JSON.stringify(body) };
}

/** A provider that answers that it does not have this model has accepted the key. */
function isModelUnknown({ providerType }: LlmEndpoint, { kind, message }: ProviderError): boolean {
  return providerType === 'provider_b' && kind === 'not_found' && message.startsWith('model:');
}

async function sent(endpoint: LlmEndpoint, request: LlmRequest, signal: AbortSignal): Promise<LlmResponse | string> {
  try {
    return await endpoint.send(request, signal);
  } catch (error) {
    const sentence = error instanceof StepError ? connectionSentences.get(error.code) : undefined;
    // After the limit the result is no longer used: an error caused by the abort counts as a failure to connect.
    return sentence ?? 'The provider cannot be reached: check base_url.';
  }
}

const connectionSentences: ReadonlyMap<string, string> = new Map([
  ['http_blocked', 'The outbound policy of this service does not allow base_url.'],
  ['http_too_large', sentenceOf(unreadable(200))],
]);

function sentenceOf({ kind, status }: ProviderError): string {
  switch (kind) {
    case 'auth':
      return `The provider rejected the API key (status ${status}).`;
    case 'rate_limited':
      return `The provider accepts no more requests for now (status ${status}).`;
    case 'unavailable':
      return `The provider failed (status ${status}).`;
    case 'not_found':
      return `The provider does not have this path (status ${status}): check base_url.`;
    case 'rejected':
      return `The provider did not accept the request (status ${status}).`;
    case 'bad_response':
      return `The response is not from a provider of this type (status ${status}): check base_url and provider_type.`;
  }
}

/** Gives up at the limit and aborts the request. */
function within<T>(timers: Timers, work: (signal: AbortSignal) => Promise<T>): Promise<T | string> {
  const abort = new AbortController();
  return new Promise((resolve, reject) => {
    const cancel = timers.after(limitSeconds * 1000, () => {
      resolve(tooLate);
      abort.abort();
    });
    work(abort.signal).then(resolve, reject).finally(cancel);
  });
}
