import { fileOf } from '../base/file-value.ts';
import { isDeeperThan } from '../base/json-depth.ts';
import { isJsonType, mediaType } from '../base/media-type.ts';
import type { OutboundRequest, OutboundResponse } from '../component/component.ts';
import { StepError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';
import { retryAfterMs } from './retry-after.ts';

/** What an answer may be read as. */
export const answerKinds = ['json', 'text', 'file'] as const;
export type AnswerKind = (typeof answerKinds)[number];

/** As deep as JSON that is sent to the service itself may be: what later steps do with it is safe then. */
const maxDepth = 64;

/** Statuses that may be gone at the next attempt, below 500: a slow request, and too many of them. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429]);
/** Enough of an error's body to know what the server means. */
const excerptLength = 300;

/**
 * The body of an answer as a value.
 * @throws StepError `input` for what is not what it is read as
 */
export function readAnswer(request: OutboundRequest, response: OutboundResponse, wanted?: AnswerKind): Json {
  switch (wanted ?? kindOf(response)) {
    case 'json':
      return readJson(response.body.text());
    case 'text':
      return response.body.text();
    case 'file':
      return fileOf({
        name: fileName(request, response),
        type: mediaType(response.headers['content-type']),
        size: response.body.size,
        base64: response.body.base64(),
      });
  }
}

/** What the content type of an answer says that it is. */
function kindOf({ headers }: Pick<OutboundResponse, 'headers'>): AnswerKind {
  const type = mediaType(headers['content-type']);
  if (isJsonType(type)) return 'json';
  const isText =
    type === '' || type.startsWith('text/') || /[/+](xml|javascript|x-www-form-urlencoded|yaml)$/.test(type);
  return isText ? 'text' : 'file';
}

function readJson(text: string): Json {
  // 204 and answers to HEAD have no body, whatever their content type.
  if (text.trim() === '') return null;
  const value = parseJson(text);
  if (value === undefined)
    throw new StepError('input', "The answer is not JSON: set 'response' to text to take it as it is.");
  if (isDeeperThan(value, maxDepth)) throw new StepError('input', `The answer nests deeper than ${maxDepth} levels.`);
  return value;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** What the server calls the file, else the end of its address; never with a path. */
function fileName(request: OutboundRequest, response: OutboundResponse): string {
  const disposition = response.headers['content-disposition'] ?? '';
  const named = /filename="([^"]*)"/i.exec(disposition)?.[1] ?? /filename=([^;\s"]+)/i.exec(disposition)?.[1];
  const path = request.url.replace(/[?#].*$/s, '').replace(/^[a-z]+:\/\/[^/]*/i, '');
  return named ?? path;
}

/** What an answer of status 400 or more fails a step with; some may be gone at the next attempt. */
export function answerFailure(request: OutboundRequest, response: OutboundResponse, now: Instant): StepError {
  const { status, headers } = response;
  const excerpt = kindOf(response) === 'file' ? '' : response.body.text().trim().slice(0, excerptLength);
  const message = `The server answered ${status} to ${request.method} ${shownUrl(request.url)}${excerpt && `: ${excerpt}`}`;
  const retryable = passingStatuses.has(status) || status >= 500;
  return new StepError('http_status', message, { retryable, retryAfterMs: retryAfterMs(headers['retry-after'], now) });
}

/** Scheme, host and path. A query may hold a key, and a message is read by more people than a config. */
function shownUrl(url: string): string {
  const [, origin, path = ''] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i.exec(url) ?? [];
  return origin === undefined ? 'the address' : `${origin}${path.split('/').map(shownPart).join('/')}`;
}

/** A part of a path may be a key, too, as in the hooks of chats: keys have digits and eight characters at least. */
function shownPart(part: string): string {
  return part.length > 20 || (part.length >= 8 && /\d/.test(part)) ? '****' : part;
}
