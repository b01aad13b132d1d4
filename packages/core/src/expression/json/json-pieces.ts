import { jsonCharactersPerStep, type Meter, type SlicedWork } from '../../base/meter.ts';
import { isArray, type Json, type JsonObject } from '../../json.ts';
import { jsonSize } from './json-size.ts';

/** Writing as many characters takes a few milliseconds, in an object with very many names. */
const pieceLength = 100_000;

/**
 * The JSON of a value in pieces of some 100,000 characters; joined they are what JSON.stringify returns. A reader that
 * needs only the beginning stops early.
 */
export function* jsonPieces(value: Json): Generator<string, void, undefined> {
  if (isLarge(value)) yield* largePieces(value);
  else yield JSON.stringify(value);
}

/** The pieces of a value that is known to be large. */
function* largePieces(value: Json): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* textPieces(value);
  else if (isArray(value)) yield* listPieces(value);
  else yield* objectPieces(value as JsonObject);
}

/**
 * The JSON of a value, with a pause after each piece.
 * @throws StepError `work_limit`
 */
export function* writtenJson(value: Json, meter?: Meter): SlicedWork<string> {
  const pieces: string[] = [];
  for (const piece of jsonPieces(value)) {
    meter?.spend(piece.length / jsonCharactersPerStep);
    pieces.push(piece);
    yield;
  }
  return pieces.join('');
}

function isLarge(value: Json): boolean {
  return sizeOf(value) > pieceLength;
}

/** Values never change. Deep inside others, and where many refer to it, a large one would be measured again and again. */
const large = new WeakSet<object>();

/** The size of a value, counted up to that of a piece. */
function sizeOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return jsonSize(value, pieceLength);
  if (large.has(value)) return Number.POSITIVE_INFINITY;
  const size = jsonSize(value, pieceLength);
  if (size > pieceLength) large.add(value);
  return size;
}

function* textPieces(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const end = from + pieceLength;
    // A pair of surrogates is one character, and is written as such.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield JSON.stringify(text.slice(from, next)).slice(1, -1);
    from = next;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function* listPieces(list: readonly Json[]): Generator<string> {
  let before = '[';
  let from = 0;
  let size = 0;
  for (const [index, item] of list.entries()) {
    const itemSize = sizeOf(item);
    const isOwnPiece = itemSize > pieceLength;
    if (index > from && (isOwnPiece || size > pieceLength)) {
      yield before + inner(list.slice(from, index));
      [before, from, size] = [',', index, 0];
    }
    if (isOwnPiece) {
      yield before;
      yield* largePieces(item);
      [before, from] = [',', index + 1];
    } else size += 1 + itemSize;
  }
  yield from === list.length ? ']' : `${before}${inner(list.slice(from))}]`;
}

function inner(items: readonly Json[]): string {
  return JSON.stringify(items).slice(1, -1);
}

function* objectPieces(object: JsonObject): Generator<string> {
  let text = '{';
  let comma = '';
  for (const key of Object.keys(object)) {
    const value: Json | undefined = object[key];
    // Presented objects have fields without a value, which JSON leaves out.
    if (value === undefined) continue;
    text += `${comma}${JSON.stringify(key)}:`;
    comma = ',';
    if (isLarge(value)) {
      yield text;
      yield* largePieces(value);
      text = '';
    } else text += JSON.stringify(value);
    if (text.length <= pieceLength) continue;
    yield text;
    text = '';
  }
  yield `${text}}`;
}
