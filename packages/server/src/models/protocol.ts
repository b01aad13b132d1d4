import type { Json, JsonObject, ModelAnswer, ModelRequest, RawMessage } from '@millrace/core';

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
  read(body: Json): ProtocolAnswer | null;
  /** The same request for a streamed answer, as server-sent events. */
  streamed(call: ModelRequest): ChatRequest;
  /** Reads such an answer. */
  reader(): AnswerReader;
}

/** An answer as a protocol reads it. */
export interface ProtocolAnswer extends Omit<ModelAnswer, 'raw'> {
  /** What the message has besides text and calls, as the provider must get it back. */
  readonly extra?: Json;
}

/** Assembles an answer from its events. */
export interface AnswerReader {
  /** Processes the next event's data; returns the text that it adds. Events of other kinds add nothing. */
  take(data: string): string;
  /**
   * The whole answer except its text, which the caller assembles; null if it broke off.
   * @param mask removes the secrets from a text
   */
  end(mask: (text: string) => string): Omit<ProtocolAnswer, 'text'> | null;
  /** Characters that it holds besides the text. */
  readonly heldLength: number;
  /** Whether an event was not JSON: then a part of the answer is missing. */
  readonly isGarbled: boolean;
  /** The provider's error in the middle of its answer; null for none. */
  readonly error: string | null;
}

/** A setting, if it is given, as part of a request's body. */
export function given(key: string, value: Json): { readonly [key: string]: Json } {
  return value === null ? {} : { [key]: value };
}

/** What a message has besides text and calls, for the protocol and the model that sent it; null for any other. */
export function extraFor(
  raw: RawMessage | undefined,
  { protocol, model }: { readonly protocol: string; readonly model: string },
): Json {
  return raw?.protocol === protocol && raw.model === model ? raw.message : null;
}
