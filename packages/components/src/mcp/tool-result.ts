import { isObject, type Json, type JsonObject, type McpAnswer, own, textStart } from '@millrace/core';

/** Characters of a tool's own report of an error. */
const maxReport = 4_000;

/** A result as a value: what the server sends as one, else its text, else all of its blocks. */
export function resultOf({ content, structured }: McpAnswer): Json {
  if (structured !== null) return structured;
  const [first, second] = content;
  const text = first === undefined ? undefined : textIn(first);
  if (text !== undefined && second === undefined) return text;
  return content.map(withoutData);
}

/** The report of a tool that failed. */
export function reportOf({ content }: McpAnswer): string {
  const texts = content.map(textIn).filter((text) => text !== undefined);
  const report = textStart(texts.join('\n').trim(), maxReport);
  return report === '' ? 'The tool failed without a reason.' : report;
}

function textIn(block: JsonObject): string | undefined {
  const text = own(block, 'text');
  return block.type === 'text' && typeof text === 'string' ? text : undefined;
}

/** A model reads no bytes of images, sounds and files in the result of a tool, and the journal stores every result. */
function withoutData(block: JsonObject): JsonObject {
  const resource = own(block, 'resource');
  return {
    ...shortened(block, 'data'),
    ...(isObject(resource) && { resource: shortened(resource, 'blob') }),
  };
}

function shortened(object: JsonObject, key: string): JsonObject {
  const { [key]: bytes, ...rest } = object;
  return typeof bytes === 'string' ? { ...rest, size: Math.floor((bytes.length * 3) / 4) } : object;
}
