import type { Json, JsonObject, ModelAnswer, ModelRequest } from '@millrace/core';

/** A POST request to a provider. */
export interface ChatRequest {
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string;
  readonly body: JsonObject;
}

/** The protocol of one type of provider. */
export interface ChatProtocol {
  /** @throws StepError `config` for a setting that this provider type does not have */
  request(call: ModelRequest): ChatRequest;
  /** Parses a body of status 200; null if it is not an answer of this protocol. */
  read(body: Json): ModelAnswer | null;
  /** The same request for a streamed answer, as server-sent events. */
  streamed(call: ModelRequest): ChatRequest;
  /** Reads such an answer. */
  reader(): AnswerReader;
}

/** Assembles an answer from its events. */
export interface AnswerReader {
  /** Processes the next event's data; returns the text that it adds. Events of other kinds add nothing. */
  take(data: string): string;
  /** The whole answer except its text, which the caller assembles; null if it broke off. */
  end(): Omit<ModelAnswer, 'text'> | null;
  /** Whether an event was not JSON: then a part of the answer is missing. */
  readonly isGarbled: boolean;
  /** The provider's error in the middle of its answer; null for none. */
  readonly error: string | null;
}

/** A setting, if it is given, as part of a request's body. */
export function given(key: string, value: Json): { readonly [key: string]: Json } {
  return value === null ? {} : { [key]: value };
}
