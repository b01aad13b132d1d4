import {
  type EndedCall,
  type JsonObject,
  type ModelMessage,
  own,
  type RawMessage,
  type StepCall,
  shownMessage,
  type Tool,
  textStart,
  toolCallsIn,
} from '@millrace/core';
import { type Brief, textOf } from './brief.ts';

/** One answer of the model, with the calls of tools that followed from it. */
export interface Turn {
  /** The outputs of the model's call. */
  readonly answer: JsonObject;
  readonly toolCalls: readonly EndedCall[];
}

/** Whether a call is one of the model. */
export function isModelCall({ call }: EndedCall): boolean {
  return !('rejected' in call) && call.id === undefined;
}

/** The answers of the model so far. A failed call of the model has none. */
export function turnsOf(calls: readonly EndedCall[]): readonly Turn[] {
  const turns: { answer: JsonObject; toolCalls: EndedCall[] }[] = [];
  for (const made of calls) {
    if (!isModelCall(made)) turns.at(-1)?.toolCalls.push(made);
    else if ('outputs' in made.ended) turns.push({ answer: made.ended.outputs, toolCalls: [] });
  }
  return turns;
}

/** The messages of the conversation so far, without what a memory adds before them. */
export function conversationOf(brief: Brief, calls: readonly EndedCall[]): readonly ModelMessage[] {
  const question: ModelMessage = { role: 'user', content: brief.question };
  return [question, ...turnsOf(calls).flatMap((turn) => [answerOf(turn), ...resultsOf(brief, turn)])];
}

function answerOf({ answer }: Turn): ModelMessage {
  const calls = toolCallsIn(answer);
  const raw = own(answer, 'raw') as RawMessage | undefined;
  return { role: 'assistant', content: textIn(answer), calls, ...(raw !== undefined && { raw }) };
}

/** The text of an answer of the model. */
export function textIn(answer: JsonObject): string {
  const text = own(answer, 'text');
  return typeof text === 'string' ? text : '';
}

/** In the order in which the model asked for them. */
function resultsOf(brief: Brief, { toolCalls }: Turn): readonly ModelMessage[] {
  return toolCalls.map(({ call, ended }): ModelMessage => {
    const id = call.id ?? '';
    if ('failure' in ended) {
      const { code, message } = ended.failure;
      return { role: 'tool', id, content: `Error ${code}: ${message}${adviceOn(code)}`, isError: true };
    }
    return {
      role: 'tool',
      id,
      content: cut(textOf(resultOf(brief, call, ended.outputs)), brief.resultLimit),
      isError: false,
    };
  });
}

/** A call that may have acted must not be repeated blindly. */
function adviceOn(code: string): string {
  return code === 'step_unknown' ? ' It is not known whether this call acted. Do not repeat it before you know.' : '';
}

function resultOf({ tools }: Brief, call: EndedCall['call'], outputs: JsonObject) {
  const port = 'rejected' in call ? undefined : tools.find(({ to }) => to === call.to)?.port;
  return (port === undefined ? undefined : own(outputs, port)) ?? null;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${textStart(text, limit)}\n[Only the first ${limit} of ${text.length} characters of this result are shown.]`;
}

/** Characters of a tool result in the output `messages`. */
const maxShownResult = 2000;

/** The conversation as the output of the node: results are cut. */
export function shownMessages(brief: Brief, calls: readonly EndedCall[]): readonly JsonObject[] {
  const system = brief.system === '' ? [] : [{ role: 'system', content: brief.system }];
  return [...system, ...conversationOf(brief, calls).map(cutMessage)];
}

function cutMessage(message: ModelMessage): JsonObject {
  return shownMessage(
    message.role === 'tool' ? { ...message, content: cut(message.content, maxShownResult) } : message,
  );
}

/** The tool that a made call is of. */
export function toolOfCall({ tools }: Brief, { to }: StepCall): Tool | undefined {
  return tools.find((tool) => tool.to === to);
}
