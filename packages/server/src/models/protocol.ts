import type { Json, ModelAnswer, ModelRequest } from '@millrace/core';
import type { LlmRequest } from '../secrets/llm-endpoint.ts';

/** How one type of provider is spoken to. */
export interface ChatProtocol {
  /** @throws StepError `config` for a setting that this provider type does not have */
  request(call: ModelRequest): LlmRequest;
  /** What a body of status 200 says; null when it is no answer of this protocol. */
  read(body: Json): ModelAnswer | null;
  /** The same request for an answer that comes piece by piece, as server-sent events. */
  streamed(call: ModelRequest): LlmRequest;
  /** Reads such an answer. */
  reader(): AnswerReader;
}

/** Puts an answer together from the events that it comes in. */
export interface AnswerReader {
  /** Takes the next event's data; gives the text that it adds. Events of other kinds add nothing. */
  take(data: string): string;
  /** The whole answer, its text left to who put it together; null when it broke off. */
  end(): Omit<ModelAnswer, 'text'> | null;
  /** Whether an event was no JSON: then something of the answer is missing. */
  readonly isGarbled: boolean;
  /** What went wrong at the provider in the middle of its answer; null for nothing. */
  readonly fault: string | null;
}

/** A setting that is given, as part of a request's body. */
export function given(key: string, value: Json): { readonly [key: string]: Json } {
  return value === null ? {} : { [key]: value };
}
