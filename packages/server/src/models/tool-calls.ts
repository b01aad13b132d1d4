import {
  isObject,
  type Json,
  type ModelAnswer,
  type ModelStop,
  runThrough,
  StepError,
  type ToolCall,
} from '@millrace/core';
import { modelJson } from './model-json.ts';

/** A tool call as a provider sent it. Every part may be missing or damaged. */
export interface SentCall {
  readonly id: string | null;
  readonly name: string | null;
  /** Text of JSON, or JSON. */
  readonly arguments: Json;
}

/**
 * Tool calls in one answer. Agents call a few at once; each call is a step, and its result is sent with every later
 * request.
 */
const maxCalls = 128;

/** @throws StepError `model_bad_response` for more calls in one answer than an agent makes */
export function checkCallCount(count: number): void {
  if (count <= maxCalls) return;
  throw new StepError('model_bad_response', `The model calls more than ${maxCalls} tools in one answer.`, {
    retryable: true,
  });
}

/** The calls of an answer. Each gets an id of its own: results are assigned by it, and some servers send none. */
export function toolCallsOf(sent: readonly SentCall[]): readonly ToolCall[] {
  checkCallCount(sent.length);
  const ids = new Set<string>();
  return sent.map(({ id, name, arguments: given }, index) => {
    const isUsable = id !== null && id !== '' && !ids.has(id);
    const own = isUsable ? id : freeId(ids, index);
    ids.add(own);
    return { id: own, tool: name ?? '', ...argumentsOf(given) };
  });
}

function freeId(ids: ReadonlySet<string>, index: number): string {
  let id = `call_${index + 1}`;
  while (ids.has(id)) id += '_';
  return id;
}

function argumentsOf(given: Json): Pick<ToolCall, 'arguments' | 'problem'> {
  const value = typeof given === 'string' ? parsed(given) : (given ?? {});
  if (value !== undefined && isObject(value)) return { arguments: value };
  return { arguments: {}, problem: 'they must be a JSON object.' };
}

/** Some models send no text for no arguments. */
function parsed(text: string): Json | undefined {
  return text.trim() === '' ? {} : runThrough(modelJson(text));
}

/** Without the calls of an answer that was cut off: their arguments may be cut, too. */
export function endOfAnswer(stop: ModelStop, calls: readonly ToolCall[]): Pick<ModelAnswer, 'stop' | 'calls'> {
  if (stop === 'length' || stop === 'refusal') return { stop };
  if (calls.length === 0) return { stop: stop === 'calls' ? 'other' : stop };
  // Some servers end an answer with calls like any other.
  return { stop: 'calls', calls };
}
