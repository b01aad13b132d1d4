import { type Json, jsonPieces, type SlicedWork } from '@millrace/core';
import { slices } from '../../ground/slices.ts';

/** Characters written before other requests are served: a few milliseconds of work. */
const charactersPerStep = 100_000;

/** The JSON of a value that may be large. Other requests are served after each large part. */
export function jsonInPieces(value: unknown): Promise<string> {
  return slices.finish(written(value));
}

function* written(value: unknown): SlicedWork<string> {
  const texts: string[] = [];
  let length = 0;
  // What presenters return is JSON, and may have fields without a value.
  for (const text of jsonPieces(value as Json)) {
    if (length >= charactersPerStep) {
      length = 0;
      yield;
    }
    texts.push(text);
    length += text.length;
  }
  return texts.join('');
}
