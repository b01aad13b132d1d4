import type { BodyWatch, OutboundResponse } from '@millrace/core';

/** The protocol of an LLM provider. */
export type ProviderType = 'provider_a_compatible' | 'provider_b';

/** A request to a provider; the endpoint adds the base URL, the key and the custom headers. */
export interface LlmRequest {
  readonly method: 'GET' | 'POST';
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string;
  /** JSON text; null for none. */
  readonly body: string | null;
  /** Without the key and anything else that identifies the caller, to see what an anonymous caller gets. */
  readonly isAnonymous?: boolean;
}

/** An answer of a provider. */
export interface LlmResponse extends OutboundResponse {
  /** It came from another origin, after a redirect: that server did not get the secrets. */
  readonly lacksSecrets?: boolean;
}

/** Removes the secrets from a text that arrives in pieces. */
export interface TextRedactor {
  /** The part of the text so far that contains no secret; a possible beginning of one is held back. */
  push(text: string): string;
  /** The rest that was held back, after the last piece. */
  end(): string;
}

/** A provider that can be called with a credential's secret, which never leaves `secrets/` and the outbound client. */
export interface LlmEndpoint {
  readonly credentialId: number;
  readonly providerType: ProviderType;
  /** Whether there is a key or a header that the provider may check. */
  readonly hasSecrets: boolean;
  /**
   * A watcher receives the answer's bytes as they arrive, and must remove the secrets from its results.
   * @throws StepError http_blocked, http_connection, http_too_large
   */
  send(request: LlmRequest, signal: AbortSignal, watch?: BodyWatch): Promise<LlmResponse>;
  /** Removes the secrets from a text that is assembled from an answer's bytes. */
  redactor(): TextRedactor;
}

/** Why a credential cannot be used now; the message is shown to users. */
export type LlmRejection =
  | { readonly kind: 'missing' }
  /** Its base URL was moved to another origin and its secrets were not entered again; the key is required first. */
  | {
      readonly kind: 'locked';
      readonly message: `base_url changed: enter the ${'API key' | 'custom headers'} again`;
    };

/** Opens LLM credentials for use. */
export interface LlmEndpoints {
  open(credentialId: number): Promise<LlmEndpoint | LlmRejection>;
}
