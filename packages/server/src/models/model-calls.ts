import {
  type Meter,
  type ModelAnswer,
  type ModelRequest,
  Problem,
  type SlicedWork,
  StepError,
  writtenJson,
} from '@millrace/core';
import type { Clock } from '../ground/clock.ts';
import type { LlmEndpoint, LlmEndpoints, LlmRequest, LlmResponse } from '../secrets/llm-endpoint.ts';
import { AnswerStream } from './answer-stream.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { openaiChat } from './openai-chat.ts';
import type { ChatProtocol, ChatRequest, ProtocolAnswer } from './protocol.ts';
import { errorInside, issueOf, jsonOf, type ProviderError, unreadable } from './provider-error.ts';

/**
 * Calls a model once. A listener gets the answer's text as it arrives; the answer is the same with or without one.
 * Rejects with a StepError that names the model's node and how to fix it.
 */
export type AskModel = (request: ModelRequest, caller: ModelCaller) => Promise<ModelAnswer>;

/** The attempt that calls a model. */
interface ModelCaller {
  readonly signal: AbortSignal;
  /** Limits the work of reading the answer. */
  readonly meter: Meter;
  inSlices<Result>(work: SlicedWork<Result>): Result | Promise<Result>;
  /** Records what follows the operation as work of the attempt, in case it stalls the service. */
  continued<Result>(operation: Promise<Result>): Promise<Result>;
  /** Does work that is recorded as that of the attempt. */
  perform<Result>(act: () => Result): Result;
  /** Receives the next piece of an answer. */
  readonly listen?: ((text: string) => void) | undefined;
}

/**
 * The longest answer of today's models is a quarter of this; the journal stores every answer. A streamed answer is cut
 * off when its text has as many characters: its events have many more.
 */
const maxAnswerBytes = 2 * 1024 * 1024;

const protocols: Readonly<Record<LlmEndpoint['providerType'], ChatProtocol>> = {
  provider_a_compatible: openaiChat,
  provider_b: anthropicMessages,
};

interface ModelCallPorts {
  readonly endpoints: LlmEndpoints;
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates the only function through which runs call models. */
export function createAskModel({ endpoints, clock }: ModelCallPorts): AskModel {
  return async (request, { signal, meter, inSlices, continued, perform, listen }) => {
    const endpoint = await continued(openFor(endpoints, request));
    const protocol = protocols[endpoint.providerType];
    const tooLong = () => tooLarge(request);
    if (listen !== undefined) {
      const reader = protocol.reader();
      const redactor = () => endpoint.redactor();
      const stream = new AnswerStream({ reader, redactor, listen, meter, perform, most: maxAnswerBytes, tooLong });
      const response = await continued(endpoint.send(await written(protocol.streamed(request)), signal, stream.watch));
      const error = issueOf(response, clock.now());
      // A server that cannot stream rejects the request and has done nothing yet.
      if (error?.kind !== 'rejected') return stream.isUsed ? whole(streamedAnswer(stream, request)) : read(response);
    }
    return read(await continued(endpoint.send(await written(protocol.request(request)), signal)));

    /** What a conversation remembers may be megabytes. */
    async function written({ path, body }: ChatRequest): Promise<LlmRequest> {
      return { method: 'POST', path, body: await inSlices(writtenJson(body, meter)) };
    }

    async function read(response: LlmResponse): Promise<ModelAnswer> {
      const error = issueOf(response, clock.now());
      if (error !== null) throw response.lacksSecrets ? ledAway(request) : failure(error, request);
      if (response.body.size > maxAnswerBytes) throw tooLong();
      const body = await inSlices(jsonOf(response, maxAnswerBytes, meter));
      const inside = body === undefined ? null : errorInside(body, response.status);
      if (inside !== null) throw failure(inside, request);
      const answer = body === undefined ? null : protocol.read(body);
      if (answer === null) throw failure(unreadable(response.status), request);
      return whole(answer);
    }

    function whole({ extra, ...answer }: ProtocolAnswer): ModelAnswer {
      // Only an answer with calls is sent back.
      if (extra === undefined || answer.calls === undefined) return answer;
      return { ...answer, raw: { protocol: endpoint.providerType, model: request.model, message: extra } };
    }
  };
}

/** A streamed answer. One that broke off may succeed on a retry. */
function streamedAnswer(stream: AnswerStream, request: ModelRequest): ProtocolAnswer {
  const answer = stream.end();
  if (answer !== null) return answer;
  if (stream.isGarbled && stream.error === null) throw garbled(request);
  const words = stream.error ? `: ${stream.error}` : '.';
  const message = `The provider of node '${request.nodeId}' broke off its response${words}`;
  throw new StepError('model_unavailable', message, { retryable: true });
}

function tooLarge({ nodeId }: ModelRequest): StepError {
  const most = `${maxAnswerBytes / 1024 / 1024} MiB`;
  const message = `The provider of node '${nodeId}' sent an answer of more than ${most}: limit it with max_tokens.`;
  return new StepError('http_too_large', message);
}

/** Missing parts are not ignored: later steps would use an incomplete answer. */
function garbled({ nodeId }: ModelRequest): StepError {
  const message = `The provider of node '${nodeId}' streamed a part of its response that is not JSON, so the response is incomplete.`;
  return new StepError('model_bad_response', message, { retryable: true });
}

async function openFor(endpoints: LlmEndpoints, { nodeId, model, credentialId }: ModelRequest): Promise<LlmEndpoint> {
  if (model === '') throw new StepError('config', `Node '${nodeId}' names no model: set its model_name.`);
  if (credentialId === null) {
    throw new StepError('credential_missing', `Node '${nodeId}' has no LLM credential: set its llm_credential_id.`);
  }
  const endpoint = await endpoints.open(credentialId).catch(asStepError);
  if (!('kind' in endpoint)) return endpoint;
  // The interface fixes this message; the run's error names the node.
  if (endpoint.kind === 'locked') throw new StepError('credential_locked', endpoint.message);
  const what = `Node '${nodeId}' uses LLM credential ${credentialId}, which does not exist`;
  throw new StepError('credential_missing', `${what}: choose another in its llm_credential_id.`);
}

/** A secret that cannot be opened fails the step with its own message, and a retry does not help. */
function asStepError(error: unknown): never {
  if (error instanceof Problem && error.code === 'secret_unreadable') throw new StepError(error.code, error.message);
  throw error;
}

/** An answer from another origin, which did not get the key, does not show whether the key works. */
function ledAway({ nodeId, credentialId }: ModelRequest): StepError {
  const what = `The provider of node '${nodeId}' redirects to another address, to which the API key is not sent`;
  return new StepError('model_refused', `${what}: check the base_url of LLM credential ${credentialId}.`);
}

function failure({ kind, status, retryAfterMs, message }: ProviderError, request: ModelRequest): StepError {
  const provider = `The provider of node '${request.nodeId}'`;
  const words = message === '' ? '.' : `: ${message}`;
  switch (kind) {
    case 'auth': {
      const remedy = `check the API key of LLM credential ${request.credentialId}`;
      return new StepError('model_auth', `${provider} rejected the API key (status ${status}): ${remedy}.`);
    }
    case 'rate_limited': {
      const message = `${provider} accepts no more requests for now (status ${status})${words}`;
      return new StepError('model_rate_limited', message, { retryable: true, retryAfterMs });
    }
    case 'unavailable': {
      const message = `${provider} failed (status ${status})${words}`;
      return new StepError('model_unavailable', message, { retryable: true, retryAfterMs });
    }
    case 'not_found': {
      const remedy = `check model_name '${request.model}' and the credential's base_url`;
      return new StepError(
        'model_refused',
        `${provider} cannot find the model or the path (status ${status}), ${remedy}${words}`,
      );
    }
    case 'rejected':
      return new StepError('model_refused', `${provider} does not accept the request (status ${status})${words}`);
    case 'bad_response': {
      const remedy = "check the credential's base_url and provider_type";
      return new StepError(
        'model_bad_response',
        message === ''
          ? `${provider} sent a response that cannot be read (status ${status}): ${remedy}.`
          : `${provider} sent an error (status ${status})${words}`,
      );
    }
  }
}
