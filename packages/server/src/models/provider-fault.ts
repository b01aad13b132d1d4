import { type Instant, isDeeperThan, isObject, type Json, type OutboundResponse, retryAfterMs } from '@millrace/core';

/** What an answer other than 200 means. */
type FaultKind = 'auth' | 'rate_limited' | 'unavailable' | 'not_found' | 'refused' | 'bad_response';

/** An answer of a provider's that is no success. */
export interface ProviderFault {
  readonly kind: FaultKind;
  readonly status: number;
  /** 0 when the provider did not say. */
  readonly retryAfterMs: number;
  /** What the provider's error says, without anything that looks like a key; empty when it says nothing. */
  readonly said: string;
}

/** As deep as JSON that is sent to the service itself may be. */
const maxDepth = 64;
/** Enough of an error to know what the provider means. */
const maxSaid = 300;

/** The JSON of an answer; undefined for anything else, for what is larger than `maxBytes`, and for what nests too deep. */
export function jsonOf(response: OutboundResponse, maxBytes: number): Json | undefined {
  if (response.body.size > maxBytes) return undefined;
  try {
    const value = JSON.parse(response.body.text()) as Json;
    return isDeeperThan(value, maxDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** What is wrong with an answer by its status; null for success. */
export function faultOf(response: OutboundResponse, now: Instant): ProviderFault | null {
  const { status } = response;
  if (status >= 200 && status < 300) return null;
  return {
    kind: kindOf(status),
    status,
    retryAfterMs: retryAfterMs(response.headers['retry-after'], now),
    said: saidIn(jsonOf(response, maxErrorBytes)),
  };
}

/** An answer of success that says nothing that the protocol knows. */
export function unreadable(status: number): ProviderFault {
  return { kind: 'bad_response', status, retryAfterMs: 0, said: '' };
}

function kindOf(status: number): FaultKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 404 || status === 405) return 'not_found';
  // A slow request and a lost race pass, as failures of the provider's own do.
  if (status === 408 || status === 409 || status >= 500) return 'unavailable';
  return status >= 400 ? 'refused' : 'bad_response';
}

/** 64 KiB hold any honest error. */
const maxErrorBytes = 65_536;

/** What an error of a provider's says, without anything that looks like a key; empty when it says nothing. */
export function saidIn(body: Json | undefined): string {
  if (!isObject(body)) return '';
  const error = body.error ?? body;
  const message = isObject(error) ? error.message : error;
  return typeof message === 'string' ? withoutKeys(message).slice(0, maxSaid) : '';
}

/** Providers may repeat the key they were sent. A run of 32 such characters is a key; names of models are shorter. */
function withoutKeys(text: string): string {
  return text
    .replace(/[\w+/=~-]{32,}/g, '****')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
