import { isArray, isObject, type Json, type JsonObject } from '@millrace/core';

const mark = { cache_control: { type: 'ephemeral' } } as const;

/**
 * Marks where a provider of type `provider_b` caches a request: after the tools, after the system prompt, and after the
 * last message, so that the next call of an agent reads everything before its new messages from the cache. The other
 * protocol caches by itself.
 */
export function withCacheMarks({ tools, system, messages, ...body }: JsonObject): JsonObject {
  return {
    ...body,
    ...(tools !== undefined && { tools: withMarkedEnd(tools) }),
    ...(system !== undefined && { system: asBlocks(system) }),
    ...(messages !== undefined && { messages: withMarkedMessage(messages) }),
  };
}

function withMarkedMessage(messages: Json): Json {
  const last = isArray(messages) ? messages.at(-1) : undefined;
  if (!isArray(messages) || last === undefined || !isObject(last)) return messages;
  return [...messages.slice(0, -1), { ...last, content: asBlocks(last.content ?? null) }];
}

/** A content in blocks, the last of which is marked. */
function asBlocks(content: Json): Json {
  // An empty text cannot be marked.
  if (typeof content === 'string') return content === '' ? content : [{ type: 'text', text: content, ...mark }];
  return withMarkedEnd(content);
}

function withMarkedEnd(list: Json): Json {
  const last = isArray(list) ? list.at(-1) : undefined;
  if (!isArray(list) || last === undefined || !isObject(last) || !canBeMarked(last)) return list;
  return [...list.slice(0, -1), { ...last, ...mark }];
}

/** Reasoning cannot be marked, nor an empty text. */
function canBeMarked({ type, text }: JsonObject): boolean {
  return type !== 'thinking' && type !== 'redacted_thinking' && text !== '';
}
