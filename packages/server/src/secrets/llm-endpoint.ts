import type { OutboundResponse } from '@millrace/core';

/** What an LLM provider speaks. */
export type ProviderType = 'provider_a_compatible' | 'provider_b';

/** A request to a provider; the endpoint adds the base URL, the key and the custom headers. */
export interface LlmRequest {
  readonly method: 'GET' | 'POST';
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string;
  /** JSON text; null for none. */
  readonly body: string | null;
}

/** An answer of a provider's. */
export interface LlmResponse extends OutboundResponse {
  /** It came from another origin, by a redirect: whoever answered was not sent the secrets that there are. */
  readonly lacksSecrets?: boolean;
}

/** A provider that may be called with a credential's secret, which never leaves `secrets/` and the outbound client. */
export interface LlmEndpoint {
  readonly credentialId: number;
  readonly providerType: ProviderType;
  /** @throws StepError http_blocked, http_connection, http_too_large */
  send(request: LlmRequest, signal: AbortSignal): Promise<LlmResponse>;
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
