import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Json, jsonPieces } from '@millrace/core';

/** Characters written before other requests are served: a few milliseconds of work. */
const charactersPerTurn = 100_000;

/** The JSON of a value that may be large. Other requests are served after each large part. */
export async function jsonInPieces(value: unknown): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  // What presenters return is JSON, and may have fields without a value.
  for (const text of jsonPieces(value as Json)) {
    if (length >= charactersPerTurn) {
      length = 0;
      await nextTurn();
    }
    texts.push(text);
    length += text.length;
  }
  return texts.join('');
}
