import type { BodyWatch, OutboundResponse } from '@millrace/core';

/** What an LLM provider speaks. */
export type ProviderType = 'provider_a_compatible' | 'provider_b';

/** A request to a provider; the endpoint adds the base URL, the key and the custom headers. */
export interface LlmRequest {
  readonly method: 'GET' | 'POST';
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string;
  /** JSON text; null for none. */
  readonly body: string | null;
  /** Without the key and all else that says who asks: to see what anybody is answered. */
  readonly isAnonymous?: boolean;
}

/** An answer of a provider's. */
export interface LlmResponse extends OutboundResponse {
  /** It came from another origin, by a redirect: whoever answered was not sent the secrets that there are. */
  readonly lacksSecrets?: boolean;
}

/** Takes the secrets out of a text that comes in pieces. */
export interface TextRedactor {
  /** As much of what has come as holds no secret: what may be the beginning of one is kept back. */
  push(text: string): string;
  /** What was kept back: nothing more comes. */
  end(): string;
}

/** A provider that may be called with a credential's secret, which never leaves `secrets/` and the outbound client. */
export interface LlmEndpoint {
  readonly credentialId: number;
  readonly providerType: ProviderType;
  /** Whether there is a key, or a header, that the provider may check. */
  readonly hasSecrets: boolean;
  /**
   * Who watches sees the answer's bytes as they come, and takes the secrets out of what it makes of them.
   * @throws StepError http_blocked, http_connection, http_too_large
   */
  send(request: LlmRequest, signal: AbortSignal, watch?: BodyWatch): Promise<LlmResponse>;
  /** Takes the secrets out of a text that is put together from an answer's bytes. */
  redactor(): TextRedactor;
}

/** Why a credential cannot be used now; the words are shown to users. */
export type LlmRefusal =
  | { readonly kind: 'missing' }
  /** Its base URL moved to another origin without its secrets being entered again; the key is asked for first. */
  | {
      readonly kind: 'locked';
      readonly message: `base_url changed: enter the ${'API key' | 'custom headers'} again`;
    };

/** Opens LLM credentials for use. */
export interface LlmEndpoints {
  open(credentialId: number): Promise<LlmEndpoint | LlmRefusal>;
}
