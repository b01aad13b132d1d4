import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type ModelTools,
  type ToolCall,
  withNumberBounds,
} from '@millrace/core';
import { checkCallCount, type SentCall, toolCallsOf } from './tool-calls.ts';

/** The keys of a message and of a call that every provider sends, and that the service writes itself. */
const messageKeys: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio'],
]);
const callKeys: ReadonlySet<string> = new Set(['id', 'type', 'function', 'index']);

/** The tool calls and the further keys of a message, or of all pieces of a streamed one. */
export class OpenaiMessage {
  readonly #calls: {
    id: string | null;
    name: string | null;
    arguments: Json;
    readonly more: Map<string, Json>;
    index: number | null;
  }[] = [];
  readonly #more = new Map<string, Json>();
  readonly #isStreamed: boolean;
  /** Characters of arguments and further keys. */
  length = 0;

  /** @param isStreamed whether what is added are pieces of a message, and not a whole one */
  constructor(isStreamed: boolean) {
    this.#isStreamed = isStreamed;
  }

  /** Adds a message, or a piece of one. */
  add(message: JsonObject): void {
    if (message.tool_calls !== undefined && isArray(message.tool_calls)) {
      for (const piece of message.tool_calls) if (isObject(piece)) this.#addCall(piece);
    }
    for (const [key, value] of Object.entries(message)) {
      if (messageKeys.has(key) || value === null) continue;
      this.#more.set(key, joined(this.#more.get(key), value));
      this.length += lengthOf(value);
    }
  }

  #addCall(piece: JsonObject): void {
    const { id = null, index = null } = piece;
    const given = isObject(piece.function) ? piece.function : {};
    const name = textOrNull(given.name);
    const call = this.#callFor({ id: textOrNull(id), index: typeof index === 'number' ? index : null, name });
    call.name ??= name;
    // Text comes in pieces; an object comes at once.
    const value = given.arguments ?? null;
    if (typeof value === 'string' && typeof call.arguments === 'string') call.arguments += value;
    else if (value !== null) call.arguments = value;
    this.length += lengthOf(value);
    for (const [key, more] of Object.entries(piece)) {
      if (callKeys.has(key)) continue;
      call.more.set(key, more);
      this.length += lengthOf(more);
    }
  }

  /** The call that a piece of a stream belongs to: by its index, else by its id, else the last one. */
  #callFor({ id, index, name }: { id: string | null; index: number | null; name: string | null }) {
    const known = (this.#isStreamed ? this.#calls : []).findLast((call) =>
      index === null ? id === null || call.id === id : call.index === index,
    );
    // Some servers give every call the same index.
    const isOther = known !== undefined && id !== null && known.id !== null && known.id !== id && name !== null;
    if (known !== undefined && !isOther) {
      known.id ??= id;
      return known;
    }
    const call = { id, name: null, arguments: '' as Json, more: new Map<string, Json>(), index };
    this.#calls.push(call);
    checkCallCount(this.#calls.length);
    return call;
  }

  /** What the provider must get back, besides text and calls; undefined if there is nothing. */
  end(mask: (text: string) => string): { readonly calls: readonly ToolCall[]; readonly extra?: Json } {
    const sent = this.#calls.map(
      (call): SentCall => ({
        id: call.id,
        name: call.name,
        arguments: typeof call.arguments === 'string' ? mask(call.arguments) : call.arguments,
      }),
    );
    const calls = toolCallsOf(sent);
    const hasMoreInCalls = this.#calls.some(({ more, id }, place) => more.size > 0 && calls[place]?.id === id);
    if (this.#more.size === 0 && !hasMoreInCalls) return { calls };
    const moreInCalls = this.#calls.map(({ more }) => Object.fromEntries(more));
    const extra = { ...Object.fromEntries(this.#more), ...(hasMoreInCalls && { tool_calls: moreInCalls }) };
    return { calls, extra: JSON.parse(mask(JSON.stringify(extra))) as Json };
  }
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Continues a text or a list. A list is extended in place: a copy for each piece would take quadratic time. */
function joined(before: Json | undefined, value: Json): Json {
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (!Array.isArray(before) || !isArray(value)) return value;
  for (const item of value) before.push(item);
  return before;
}

function lengthOf(value: Json): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

/** A call as a message of the history has it. */
export function writtenCalls(calls: readonly ToolCall[], extra: JsonObject): readonly JsonObject[] {
  const more = extra.tool_calls !== undefined && isArray(extra.tool_calls) ? extra.tool_calls : [];
  return calls.map(({ id, tool: name, arguments: args }, index) => {
    const own = more[index];
    return { ...(isObject(own) && own), id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  });
}

/** The part of a request about tools. */
export function writtenTools({ list, choice, isParallel }: ModelTools): JsonObject {
  return {
    tools: list.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: withNumberBounds(parameters) },
    })),
    // `auto` is the default, and some servers know no other choice.
    ...(choice !== 'auto' && {
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } },
    }),
    ...(!isParallel && { parallel_tool_calls: false }),
  };
}
