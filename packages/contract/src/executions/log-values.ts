import { isArray, type Json, type JsonObject, jsonPieces, ownText, type SlicedWork } from '@millrace/core';

/**
 * Maximum characters of JSON of all inputs and outputs in the logs of a detail. An execution may output 64 MiB, and
 * every value of the journal appears again as the input of each following node. 4 MiB is the largest value that an
 * expression returns, and takes about 20 ms to serialize, during which no other request is served. Escapes in long
 * texts are not counted: with nothing but control characters the size is six times as much, which is still harmless.
 */
const maxLogValues = 4_194_304;

/** Characters in a marker: a line or two, enough to recognize the kind of value. */
const previewLength = 200;

/**
 * Texts longer than this are not serialized to be measured, and sizes above it are cached: a smaller value is measured
 * as fast as looked up.
 */
const small = 1000;

interface LogValues {
  readonly input: Json;
  readonly output: JsonObject | null;
}

/** Replaces a value in a log entry that does not fit. */
interface Marker extends JsonObject {
  readonly truncated: true;
  readonly size: number;
  readonly preview: string;
}

/** The logs with markers for the values that are too large to be shown with all others. It may stop in the middle of a value. */
export function* fitLogValues<Log extends LogValues>(logs: readonly Log[]): SlicedWork<Log[]> {
  const measures = new Measures();
  let left = maxLogValues;
  const fit = function* <Value extends Json>(value: Value): SlicedWork<Value | Marker> {
    const { size, start } = yield* measures.of(value);
    // A marker would not be shorter. There is at most one per step, and the number of steps is limited.
    if (size <= previewLength) return value;
    if (size > left) return { truncated: true, size, preview: start };
    left -= size;
    return value;
  };
  // Outputs first: an input is nearly always an output of the node before.
  const fitted: Log[] = [];
  for (const log of logs) {
    fitted.push({ ...log, output: yield* fit(log.output) });
    yield;
  }
  for (const [index, log] of fitted.entries()) {
    fitted[index] = { ...log, input: yield* fit(log.input) };
    yield;
  }
  return fitted;
}

/** The number of characters of a value's JSON, and its beginning. */
interface Measure {
  readonly size: number;
  readonly start: string;
}

/** Measures each value once, however often it is used: inputs share the values of the journal. */
class Measures {
  readonly #known = new Map<object, Measure>();

  /** Measures the parts: an object of ports or inputs may be new while its parts are shared values. */
  *of(value: Json): SlicedWork<Measure> {
    if (typeof value !== 'object' || value === null) return measureScalar(value);
    return this.#known.get(value) ?? this.#keep(value, yield* this.#ofParts(value));
  }

  *#ofParts(value: readonly Json[] | JsonObject): SlicedWork<Measure> {
    const isList = isArray(value);
    let start = isList ? '[' : '{';
    let size = 2;
    let separator = '';
    for (const [key, part] of isList ? value.entries() : Object.entries(value)) {
      const before = isList ? separator : `${separator}${JSON.stringify(key)}:`;
      const measure = yield* this.#ofPart(part);
      size += before.length + measure.size;
      if (start.length < previewLength) start += before + measure.start;
      separator = ',';
    }
    return { size, start: (start + (isList ? ']' : '}')).slice(0, previewLength) };
  }

  /** A part was stored as JSON, so it can be serialized; serializing is several times as fast as walking the value. */
  *#ofPart(value: Json): SlicedWork<Measure> {
    if (typeof value !== 'object' || value === null) return measureScalar(value);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    let [size, start] = [0, ''];
    for (const piece of jsonPieces(value)) {
      size += piece.length;
      if (start.length < previewLength) start += piece.slice(0, previewLength);
      yield;
    }
    return this.#keep(value, { size, start: ownText(start.slice(0, previewLength)) });
  }

  #keep(value: object, measure: Measure): Measure {
    if (measure.size > small) this.#known.set(value, measure);
    return measure;
  }
}

function measureScalar(value: Exclude<Json, object>): Measure {
  if (typeof value !== 'string' || value.length <= small) return measureWritten(JSON.stringify(value));
  return { size: value.length + 2, start: measureWritten(JSON.stringify(value.slice(0, previewLength))).start };
}

function measureWritten(json: string): Measure {
  return { size: json.length, start: ownText(json.slice(0, previewLength)) };
}
