import {
  isObject,
  type Json,
  type JsonLimits,
  type JsonObject,
  type Meter,
  receivedJson,
  type SlicedWork,
  StepError,
} from '@millrace/core';

/** Characters of one part of a list of tools. */
const maxListPart = 1_048_576;
/** Values of one part of a list of tools: the library describes each that is wrong, which takes 0.1 s for as many. */
const maxListValues = 20_000;
/** Values of any other answer, without the value that it contains as `structuredContent`: these take longer. */
const maxOtherValues = 2_000;
/** Values of an answer. */
const maxValues = 200_000;
const maxContainers = 100_000;
const maxNames = 20_000;

const limits: JsonLimits = {
  depth: 64,
  values: maxValues,
  containers: maxContainers,
  names: maxNames,
  stringLength: Number.POSITIVE_INFINITY,
};

/**
 * The messages in a text of a server: one, or several in a list. Null if the text is not JSON.
 * @throws StepError `mcp_error`, `work_limit`
 */
export function* messagesIn(text: string, meter: Meter): SlicedWork<readonly Json[] | null> {
  const received = yield* receivedJson(text, { limits, meter, numbers: 'doubles' });
  if (received.kind === 'invalid') return null;
  if (received.kind === 'exceeded') throw unusable(received.excess);
  return Array.isArray(received.value) ? received.value : [received.value];
}

/** True for a request or a notification that the server begins on its own: a client without capabilities needs none. */
export function isOwn(message: Json): boolean {
  return isObject(message) && 'method' in message;
}

/**
 * Rejects an answer that the library would need long to check, or to describe as wrong.
 * @param length the characters of its text
 * @throws StepError `mcp_error`
 */
export function checkAnswer(message: Json, length: number): void {
  const answer = isObject(message) ? message : {};
  const result = isObject(answer.result ?? null) ? (answer.result as JsonObject) : {};
  if (Array.isArray(result.tools)) {
    if (length > maxListPart)
      throw unusable(`has a part of the list of tools with more than ${maxListPart} characters`);
    if (!hasAtMost(message, maxListValues))
      throw unusable(`has a part of the list of tools with more than ${maxListValues} values`);
    return;
  }
  const { structuredContent, ...rest } = result;
  // A value of the tool is passed on as it is.
  const checked = isObject(structuredContent ?? null) ? { ...answer, result: rest } : message;
  if (!hasAtMost(checked, maxOtherValues))
    throw unusable(`has more than ${maxOtherValues} values besides 'structuredContent'`);
}

/** The answer breaks a limit. @param excess the end of a sentence */
export function unusable(excess: string): StepError {
  return new StepError('mcp_error', `The answer of the MCP server ${excess}.`);
}

function hasAtMost(value: Json, most: number): boolean {
  let left = most;
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined && left >= 0; next = open.pop()) {
    left -= 1;
    if (typeof next !== 'object' || next === null) continue;
    const inner = Object.values(next);
    if (inner.length > left) return false;
    for (const each of inner) open.push(each);
  }
  return left >= 0;
}
