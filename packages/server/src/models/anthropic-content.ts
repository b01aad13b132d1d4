import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type ModelMessage,
  type ModelTools,
  type ToolCall,
  withNumberBounds,
} from '@millrace/core';
import { extraFor } from './protocol.ts';
import { checkCallCount, toolCallsOf } from './tool-calls.ts';

/** A block of a message while it is streamed: the text of its input is assembled from pieces. */
interface OpenBlock {
  readonly block: { [key: string]: Json };
  input: string | null;
}

/** The blocks of a message, or of all events of a streamed one. */
export class AnthropicContent {
  readonly #blocks = new Map<number, OpenBlock>();
  /** Characters of all blocks but those of text. */
  length = 0;
  #calls = 0;

  /** A block begins, or comes as a whole. */
  begin(index: number, block: JsonObject): void {
    if (block.type === 'tool_use') {
      this.#calls += 1;
      checkCallCount(this.#calls);
    }
    this.#blocks.set(index, { block: { ...block }, input: null });
    if (block.type !== 'text') this.length += JSON.stringify(block).length;
  }

  /** Adds a piece to a block: text, reasoning, its signature, or the input of a tool. */
  add(index: number, delta: JsonObject): void {
    const open = this.#blocks.get(index);
    if (open === undefined) return;
    if (typeof delta.partial_json === 'string') open.input = (open.input ?? '') + delta.partial_json;
    for (const key of ['text', 'thinking', 'signature']) {
      const piece = delta[key];
      if (typeof piece === 'string') open.block[key] = `${textOf(open.block[key])}${piece}`;
    }
    if (delta.type !== 'text_delta') this.length += JSON.stringify(delta).length;
  }

  end(mask: (text: string) => string): { readonly calls: readonly ToolCall[]; readonly extra?: Json } {
    const blocks = [...this.#blocks.values()];
    const sent = blocks.flatMap(({ block, input }) => {
      if (block.type !== 'tool_use') return [];
      const given = input === null ? (block.input ?? {}) : mask(input);
      return [{ id: textOf(block.id) || null, name: textOf(block.name) || null, arguments: given }];
    });
    const calls = toolCallsOf(sent);
    if (blocks.every(({ block: { type } }) => type === 'text' || type === 'tool_use')) return { calls };
    // Reasoning is signed together with what follows it, so the whole message is sent back.
    let place = 0;
    const content = blocks.map(({ block }): JsonObject => {
      if (block.type !== 'tool_use') return block;
      const call = calls[place];
      place += 1;
      return { ...block, id: call?.id ?? '', input: call?.arguments ?? {} };
    });
    return { calls, extra: JSON.parse(mask(JSON.stringify(content))) as Json };
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The messages of a request. The results of one answer's calls are one message. */
export function writtenMessages(messages: readonly ModelMessage[], model: string): readonly JsonObject[] {
  const written: { role: string; content: Json }[] = [];
  /** The results that the next one joins: in place, because a copy for each would take quadratic time. */
  let results: Json[] | null = null;
  for (const message of messages) {
    if (message.role !== 'tool') results = null;
    if (message.role === 'tool') {
      const { id, content, isError } = message;
      const result = { type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) };
      if (results === null) {
        results = [];
        written.push({ role: 'user', content: results });
      }
      results.push(result);
    } else if (message.role === 'user') written.push({ role: 'user', content: message.content });
    else written.push({ role: 'assistant', content: contentOf(message, model) });
  }
  return written;
}

function contentOf({ content, calls = [], raw }: Extract<ModelMessage, { role: 'assistant' }>, model: string): Json {
  const extra = extraFor(raw, { protocol: 'provider_b', model });
  if (extra !== null && isArray(extra) && extra.every(isObject)) return extra;
  if (calls.length === 0) return content;
  const uses = calls.map(({ id, tool: name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
  return content === '' ? uses : [{ type: 'text', text: content }, ...uses];
}

/** The part of a request about tools. */
export function writtenTools({ list, choice, isParallel }: ModelTools): JsonObject {
  const type = choice === 'required' ? 'any' : choice;
  const chosen = typeof type === 'string' ? { type } : { type: 'tool', name: type.name };
  const isDefault = choice === 'auto' && isParallel;
  const single = !isParallel && choice !== 'none' && { disable_parallel_tool_use: true };
  return {
    tools: list.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: withNumberBounds(parameters),
    })),
    ...(!isDefault && { tool_choice: { ...chosen, ...single } }),
  };
}
