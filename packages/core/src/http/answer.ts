import { fileOf } from '../base/file-value.ts';
import { exceededLimit, type JsonLimits, maxContainers, maxDifferentNames } from '../base/json-text.ts';
import { isJsonType, mediaType } from '../base/media-type.ts';
import { finishedText, type Meter, type SlicedWork } from '../base/meter.ts';
import type { OutboundRequest, OutboundResponse } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { jsonCharactersPerStep } from '../expression/limits.ts';
import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';
import { retryAfterMs } from './retry-after.ts';

/** The formats that a response can be read as. */
export const answerKinds = ['json', 'text', 'file'] as const;
export type AnswerKind = (typeof answerKinds)[number];

/** The same depth as for JSON sent to the service itself, so that later steps can process the value safely. */
const maxDepth = 64;
/** Parsing a million short strings takes 0.3 s. */
const maxValues = 1_000_000;
const limits: JsonLimits = {
  depth: maxDepth,
  values: maxValues,
  containers: maxContainers,
  names: maxDifferentNames,
  stringLength: Number.POSITIVE_INFINITY,
};

/** Statuses below 500 that may succeed at the next attempt: request timeout, too early, and too many requests. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
/** Enough of an error's body to understand the server's reason. */
const excerptLength = 300;

/**
 * The body of a response as a value.
 * @throws StepError `input` if the body does not have the requested format
 */
export function* readAnswer(
  request: OutboundRequest,
  response: OutboundResponse,
  { wanted, meter }: { readonly wanted?: AnswerKind | undefined; readonly meter?: Meter } = {},
): SlicedWork<Json> {
  switch (wanted ?? kindOf(response)) {
    case 'json':
      return yield* readJson(yield* finishedText(response.body.text(meter)), meter);
    case 'text':
      return yield* finishedText(response.body.text(meter));
    case 'file':
      return fileOf({
        name: fileName(request, response),
        type: mediaType(response.headers['content-type']),
        size: response.body.size,
        base64: yield* finishedText(response.body.base64(meter)),
      });
  }
}

/** The format that the content type of a response names. */
function kindOf({ headers }: Pick<OutboundResponse, 'headers'>): AnswerKind {
  const type = mediaType(headers['content-type']);
  if (isJsonType(type)) return 'json';
  const isText =
    type === '' || type.startsWith('text/') || /[/+](xml|javascript|x-www-form-urlencoded|yaml)$/.test(type);
  return isText ? 'text' : 'file';
}

const tooMany = {
  depth: `${maxDepth} levels`,
  values: `${maxValues} values`,
  containers: `${maxContainers} lists and objects`,
  names: `${maxDifferentNames} different names in its objects`,
  stringLength: 'one long text',
} as const;

/**
 * The scan and the parser cannot pause. For 10 MiB each takes at most 100 ms: the parser has a limited number
 * of values, lists, objects and names to make.
 */
function* readJson(text: string, meter: Meter | undefined): SlicedWork<Json> {
  // 204 responses and responses to HEAD have no body, whatever their content type.
  if (text.trim() === '') return null;
  meter?.spend(text.length / jsonCharactersPerStep);
  yield;
  const exceeded = exceededLimit(text, limits);
  if (exceeded === 'depth') throw new StepError('input', `The response is nested deeper than ${maxDepth} levels.`);
  if (exceeded !== null) {
    const remedy = "request fewer, e.g. page by page, or set 'response' to text";
    throw new StepError('input', `The response has more than ${tooMany[exceeded]}: ${remedy}.`);
  }
  yield;
  const value = parseJson(text);
  if (value === undefined)
    throw new StepError('input', "The response is not JSON: set 'response' to text to receive it unchanged.");
  return value;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The file name that the server gives, else the end of the URL; never with a directory. */
function fileName(request: OutboundRequest, response: OutboundResponse): string {
  const disposition = response.headers['content-disposition'] ?? '';
  const named = /filename="([^"]*)"/i.exec(disposition)?.[1] ?? /filename=([^;\s"]+)/i.exec(disposition)?.[1];
  const path = request.url.replace(/[?#].*$/s, '').replace(/^[a-z]+:\/\/[^/]*/i, '');
  return named ?? path;
}

/** The step error for a response with status 400 or more; some of these errors can be retried. */
export function* answerFailure(
  request: OutboundRequest,
  response: OutboundResponse,
  { now, meter }: { readonly now: Instant; readonly meter?: Meter },
): SlicedWork<StepError> {
  const { status, headers } = response;
  const text = kindOf(response) === 'file' ? '' : yield* finishedText(response.body.text(meter));
  const excerpt = text.trim().slice(0, excerptLength);
  const message = `The server responded with ${status} to ${request.method} ${shownUrl(request.url)}${excerpt && `: ${excerpt}`}`;
  const retryable = transientStatuses.has(status) || status >= 500;
  return new StepError('http_status', message, { retryable, retryAfterMs: retryAfterMs(headers['retry-after'], now) });
}

/** Scheme, host and path. A query may contain a key, and a message has more readers than a config. */
function shownUrl(url: string): string {
  const [, origin, path = ''] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i.exec(url) ?? [];
  return origin === undefined ? 'the address' : `${origin}${path.split('/').map(shownPart).join('/')}`;
}

/** A segment of the path may be a key as well, as in chat webhooks: keys have digits and at least eight characters. */
function shownPart(part: string): string {
  return part.length > 20 || (part.length >= 8 && /\d/.test(part)) ? '****' : part;
}
