import { fileOf } from '../base/file-value.ts';
import { isJsonType, mediaType } from '../base/media-type.ts';
import { finishedText, type Meter, type SlicedWork } from '../base/meter.ts';
import { textStart } from '../base/texts/own-text.ts';
import type { OutboundRequest, OutboundResponse } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { receivedJson } from '../expression/json/received-json.ts';
import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';
import { dispositionName } from './disposition.ts';
import { retryAfterMs } from './retry-after.ts';

/** The formats that a response can be read as. */
export const answerKinds = ['json', 'text', 'file'] as const;
export type AnswerKind = (typeof answerKinds)[number];

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

function* readJson(text: string, meter: Meter | undefined): SlicedWork<Json> {
  // 204 responses and responses to HEAD have no body, whatever their content type.
  if (text.trim() === '') return null;
  const received = yield* receivedJson(text, { meter });
  switch (received.kind) {
    case 'value':
      return received.value;
    case 'invalid':
      throw new StepError('input', "The response is not JSON: set 'response' to text to receive it unchanged.");
    case 'exceeded': {
      const { limit, excess } = received;
      const remedy = limit === 'depth' ? '' : ": request fewer, e.g. page by page, or set 'response' to text";
      throw new StepError('input', `The response ${excess}${remedy}.`);
    }
  }
}

/** The file name that the server gives, else the end of the URL; never with a directory. */
function fileName(request: OutboundRequest, response: OutboundResponse): string {
  const named = dispositionName(response.headers['content-disposition'] ?? '');
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
  const excerpt = textStart(text.trim(), excerptLength);
  const message = `The server responded with ${status} to ${request.method} ${shownUrl(request.url)}${excerpt && `: ${excerpt}`}`;
  const retryable = transientStatuses.has(status) || status >= 500;
  const notPerformed = status === 429 || (status === 503 && headers['retry-after'] !== undefined);
  const wait = retryAfterMs(headers['retry-after'], now);
  return new StepError('http_status', message, { retryable, notPerformed, retryAfterMs: wait });
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
