import type { Json, ModelAnswer, ModelRequest } from '@millrace/core';
import type { LlmRequest } from '../secrets/llm-endpoint.ts';

/** How one type of provider is spoken to. */
export interface ChatProtocol {
  /** @throws StepError `config` for a setting that this provider type does not have */
  request(call: ModelRequest): LlmRequest;
  /** What a body of status 200 says; null when it is no answer of this protocol. */
  read(body: Json): ModelAnswer | null;
}

/** A setting that is given, as part of a request's body. */
export function given(key: string, value: Json): { readonly [key: string]: Json } {
  return value === null ? {} : { [key]: value };
}
