import type { SlicedWork } from '../../base/meter.ts';
import type { Json, JsonObject } from '../../json.ts';
import { setOwn } from '../set-own.ts';

/** Parsing as many characters takes a few milliseconds, also of values that take many times their memory. */
const pieceLength = 65_536;
/** Characters that are searched for the ends of values before a pause: some 2 ms. */
const searchedLength = 1_000_000;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** With how many large values of the same length one is compared, of which the last characters may differ. */
const comparedValues = 8;

/**
 * The value of a JSON text, as JSON.parse returns it, with a pause after each piece of some 65,000 characters. A text
 * inside the value is one piece, whatever its length. Equal large lists and objects are the same one: an output that
 * refers to one value many times takes no more memory after it was stored.
 * @throws SyntaxError if it is not JSON
 */
export function* parsedJson(text: string): SlicedWork<Json> {
  if (text.length <= pieceLength) return JSON.parse(text) as Json;
  const ends = yield* endsOfLarge(text);
  return yield* new LargeParser(text, ends).parse(0, text.length);
}

/** The end of each list and object with more characters than one piece, by its beginning. */
function* endsOfLarge(text: string): SlicedWork<ReadonlyMap<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let pauseAt = searchedLength;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfText(text, at);
    else if (unit === openList || unit === openObject) open.push(at);
    else if (unit === closeList || unit === closeObject) {
      const begin = open.pop() ?? -1;
      // Each closing bracket is two above its opening one.
      if (text.charCodeAt(begin) !== unit - 2) throw new SyntaxError('A list or an object ends that has not begun');
      if (at - begin > pieceLength) ends.set(begin, at);
    }
    if (at < pauseAt) continue;
    pauseAt = at + searchedLength;
    yield;
  }
  if (open.length > 0) throw new SyntaxError('A list or an object does not end');
  return ends;
}

/** The place of the quote that ends a text. */
function endOfText(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  throw new SyntaxError('A text does not end');
}

/** Parses lists and objects in pieces: many small values at once, and each large one by itself. */
class LargeParser {
  readonly #text: string;
  readonly #ends: ReadonlyMap<number, number>;
  /** Large values by the lengths of their texts. */
  readonly #parsed = new Map<number, ParsedValue[]>();

  constructor(text: string, ends: ReadonlyMap<number, number>) {
    this.#text = text;
    this.#ends = ends;
  }

  /** The value between two places, with white space around it. */
  *parse(from: number, to: number): SlicedWork<Json> {
    const begin = this.#afterSpace(from);
    const end = this.#ends.get(begin);
    if (end === undefined || this.#afterSpace(end + 1) < to) return JSON.parse(this.#text.slice(from, to)) as Json;
    const text = this.#text.slice(begin, end + 1);
    const alike = this.#parsed.get(text.length) ?? [];
    const known = alike.find((other) => other.text === text);
    if (known !== undefined) return known.value;
    const isList = this.#text.charCodeAt(begin) === openList;
    const value = isList ? yield* this.#list(begin, end) : yield* this.#object(begin, end);
    this.#parsed.set(text.length, [{ text, value }, ...alike].slice(0, comparedValues));
    return value;
  }

  *#list(begin: number, end: number): SlicedWork<Json> {
    const items: Json[] = [];
    for (const { from, to, isLarge } of this.#runs(begin, end)) {
      if (isLarge) items.push(yield* this.parse(from, to));
      else for (const item of JSON.parse(`[${this.#part(from, to)}]`) as Json[]) items.push(item);
      yield;
    }
    return items;
  }

  *#object(begin: number, end: number): SlicedWork<Json> {
    const fields: Record<string, Json> = {};
    for (const { from, to, isLarge } of this.#runs(begin, end)) {
      if (isLarge) {
        const key = this.#afterSpace(from);
        const keyEnd = endOfText(this.#text, key) + 1;
        const value = this.#afterSpace(keyEnd);
        if (this.#text.charCodeAt(value) !== colon) throw new SyntaxError('A field has no value');
        const name = JSON.parse(this.#text.slice(key, keyEnd)) as string;
        setOwn(fields, name, yield* this.parse(value + 1, to));
      } else {
        const some = JSON.parse(`{${this.#part(from, to)}}`) as JsonObject;
        for (const name of Object.keys(some)) setOwn(fields, name, some[name] as Json);
      }
      yield;
    }
    return fields;
  }

  /** The text of several small values. If there are none, a comma has nothing after it or before it. */
  #part(from: number, to: number): string {
    const isWhole = this.#ends.get(from - 1) === to;
    if (!isWhole && this.#afterSpace(from) >= to) throw new SyntaxError('A value is missing');
    return this.#text.slice(from, to);
  }

  /** Items of a list, or fields of an object: several small ones between commas, or a large one. */
  *#runs(begin: number, end: number): Generator<Run> {
    const text = this.#text;
    let [from, itemFrom] = [begin + 1, begin + 1];
    let isLarge = false;
    for (let at = begin + 1; at < end; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === quote) at = endOfText(text, at);
      else if (unit === openList || unit === openObject) {
        const itemEnd = this.#ends.get(at);
        isLarge ||= itemEnd !== undefined;
        at = itemEnd ?? this.#endOfSmall(at);
      } else if (unit === comma) {
        if (isLarge && itemFrom > from) yield { from, to: itemFrom - 1, isLarge: false };
        if (isLarge) yield { from: itemFrom, to: at, isLarge };
        else if (at - from > pieceLength) yield { from, to: at, isLarge };
        if (isLarge || at - from > pieceLength) from = at + 1;
        [itemFrom, isLarge] = [at + 1, false];
      }
    }
    if (isLarge && itemFrom > from) yield { from, to: itemFrom - 1, isLarge: false };
    yield { from: isLarge ? itemFrom : from, to: end, isLarge };
  }

  /** The end of a list or an object that is shorter than a piece. */
  #endOfSmall(begin: number): number {
    let depth = 0;
    let at = begin;
    // The search for large ones has found that all end.
    for (; at < this.#text.length; at += 1) {
      const unit = this.#text.charCodeAt(at);
      if (unit === quote) at = endOfText(this.#text, at);
      else if (unit === openList || unit === openObject) depth += 1;
      else if (unit === closeList || unit === closeObject) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    return at;
  }

  #afterSpace(from: number): number {
    let at = from;
    while (isSpace(this.#text.charCodeAt(at))) at += 1;
    return at;
  }
}

interface ParsedValue {
  readonly text: string;
  readonly value: Json;
}

/** A part of a list or of an object, without the commas around it. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly isLarge: boolean;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
