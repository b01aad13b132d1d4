import { finishedText, type Meter, type SlicedWork } from '../base/meter.ts';
import { textStart } from '../base/texts/own-text.ts';
import type { OutboundRequest, OutboundResponse } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { receivedJson } from '../expression/json/received-json.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';

/** The public address of the Bot API. The operator may set another one. */
export const publicBotApi = 'https://api.telegram.org';

/** The segment of a path that the bot's token follows, where the request is sent. */
export const botSegment = 'bot';

/** Characters of an explanation of the platform: more than any that it is known to give. */
const maxReason = 300;

/** A call of a method of the Bot API, without the token of the bot. */
export function botCall(method: string, parameters: JsonObject): OutboundRequest {
  const url = `${publicBotApi}/${botSegment}/${method}`;
  return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(parameters) };
}

/** The result of a call. @throws StepError chat_bot_api if the platform rejected it */
export function* botResult(
  response: OutboundResponse,
  { now, meter }: { readonly now: number; readonly meter?: Meter },
): SlicedWork<Json> {
  const text = yield* finishedText(response.body.text(meter));
  const received = yield* receivedJson(text, { meter });
  if (received.kind === 'exceeded')
    throw new StepError('chat_bot_api', `The answer of the messaging platform ${received.excess}.`);
  const answer = received.kind === 'value' && isObject(received.value) ? received.value : {};
  if (answer.ok === true && answer.result !== undefined) return answer.result;
  throw rejection(response, answer, now);
}

function rejection({ status, headers }: OutboundResponse, answer: JsonObject, now: number): StepError {
  const { description, error_code: code, parameters } = answer;
  const number = typeof code === 'number' ? code : status;
  const words = typeof description === 'string' ? textStart(description, maxReason) : 'no explanation';
  const seconds = isObject(parameters ?? null) ? (parameters as JsonObject).retry_after : undefined;
  const wait = typeof seconds === 'number' ? String(seconds) : headers['retry-after'];
  return new StepError('chat_bot_api', `The messaging platform answered ${number}: ${words}${remedyOf(number)}`, {
    retryable: number === 429 || number >= 500,
    notPerformed: number === 429,
    retryAfterMs: number === 429 ? retryAfterMs(wait, now) : 0,
  });
}

function remedyOf(number: number): string {
  switch (number) {
    case 401:
    case 404:
      return ". Check the bot_token of the node's credential.";
    case 409:
      return '. Another program receives the messages of this bot: stop it, or use another bot.';
    default:
      return '';
  }
}
