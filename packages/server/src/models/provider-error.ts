import {
  finishedText,
  type Instant,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type Meter,
  type OutboundResponse,
  retryAfterMs,
  runThrough,
  type SlicedWork,
  textStart,
} from '@millrace/core';
import { modelJson } from './model-json.ts';

/** The meaning of an error of a provider. */
type ProviderErrorKind = 'auth' | 'rate_limited' | 'unavailable' | 'not_found' | 'rejected' | 'bad_response';

/** An unsuccessful answer of a provider. */
export interface ProviderError {
  readonly kind: ProviderErrorKind;
  readonly status: number;
  /** 0 if the provider did not give a time. */
  readonly retryAfterMs: number;
  /** The message of the provider's error, without anything that looks like a key; empty if there is none. */
  readonly message: string;
}

/** Enough of an error to recognize the cause. */
const maxMessage = 300;

/** The JSON of an answer; undefined if it is not JSON, larger than `maxBytes`, or has too many or too deep values. */
export function* jsonOf(response: OutboundResponse, maxBytes: number, meter?: Meter): SlicedWork<Json | undefined> {
  if (response.body.size > maxBytes) return undefined;
  return yield* modelJson(yield* finishedText(response.body.text(meter)), meter);
}

/** The error for an answer by its status; null for success. */
export function issueOf(response: OutboundResponse, now: Instant): ProviderError | null {
  const { status } = response;
  if (status >= 200 && status < 300) return null;
  return {
    kind: kindOf(status),
    status,
    retryAfterMs: retryAfterMs(response.headers['retry-after'], now),
    message: messageIn(runThrough(jsonOf(response, maxErrorBytes))),
  };
}

/** The error inside an answer with a status of success; null if there is none. Gateways and proxies send such answers. */
export function errorInside(body: Json, status: number): ProviderError | null {
  const error = errorValueIn(body);
  if (error === undefined) return null;
  return { ...meaningOf(error, status), retryAfterMs: 0, message: messageOf(error) };
}

/** The error in an answer or in an event of one: beside what is there of the answer, or in its place. */
export function errorValueIn(body: Json): Json | undefined {
  if (!isObject(body)) return undefined;
  const [choice] = isArray(body.choices) ? body.choices : [];
  const { error, finish_reason: reason } = isObject(choice) ? choice : {};
  // Some servers write null, false or an empty text where there is no error.
  const found = [body.error, error, (body.object === 'error' || isBareError(body)) && body].find(Boolean);
  return found ?? (reason === 'error' ? {} : undefined);
}

/** Whether there is only a message, where an answer of a model would be: gateways and web frameworks write errors so. */
function isBareError(body: JsonObject): boolean {
  const isAnswer = ['choices', 'content', 'data'].some((name) => Object.hasOwn(body, name));
  return !isAnswer && messageOf(body) !== '';
}

/** An answer with status 200 that does not match the protocol. */
export function unreadable(status: number): ProviderError {
  return { kind: 'bad_response', status, retryAfterMs: 0, message: '' };
}

/** Providers name the status, or the kind of the error. An error that says neither is not understood. */
function meaningOf(error: Json, status: number): Pick<ProviderError, 'kind' | 'status'> {
  const { code, status: own, type } = isObject(error) ? error : {};
  const named = [code, own].map(Number).find((number) => number >= 400 && number < 600);
  if (named !== undefined) return { kind: kindOf(named), status: named };
  const kind = [type, code].map((word) => errorTypes.get(String(word))).find((known) => known !== undefined);
  return { kind: kind ?? 'bad_response', status };
}

const errorTypes: ReadonlyMap<string, ProviderErrorKind> = new Map([
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['invalid_api_key', 'auth'],
  ['rate_limit_error', 'rate_limited'],
  ['rate_limit_exceeded', 'rate_limited'],
  ['overloaded_error', 'unavailable'],
  ['api_error', 'unavailable'],
  ['server_error', 'unavailable'],
  ['timeout_error', 'unavailable'],
  ['not_found_error', 'not_found'],
  ['model_not_found', 'not_found'],
  ['invalid_request_error', 'rejected'],
]);

function kindOf(status: number): ProviderErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 404 || status === 405) return 'not_found';
  // A timeout, a conflict and a request that is too early are temporary, as are the provider's own failures.
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'unavailable';
  return status >= 400 ? 'rejected' : 'bad_response';
}

/** 64 KiB is enough for any normal error. */
const maxErrorBytes = 65_536;

/** The message of a provider's error, without anything that looks like a key; empty if there is none. */
function messageIn(body: Json | undefined): string {
  return isObject(body) ? messageOf(body.error ?? body) : '';
}

/** The message of an error of a provider, as `messageIn` returns it. */
export function messageOf(error: Json): string {
  const message = isObject(error) ? (error.message ?? detailOf(error.detail)) : error;
  return typeof message === 'string' ? textStart(withoutKeys(message), maxMessage) : '';
}

/** The text of the `detail` of a web framework, which can be a list of issues. */
function detailOf(detail: Json | undefined): Json | undefined {
  const texts = [detail].flat().map((one) => (isObject(one) ? (one.msg ?? one.message) : one));
  return texts.every((text) => typeof text === 'string') ? texts.join('; ') : undefined;
}

/** Providers may repeat the key they received. A run of 32 such characters is a key; model names are shorter. */
function withoutKeys(text: string): string {
  return text
    .replace(/[\w+/=~-]{32,}/g, '****')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
