import { isArray, type Json, type JsonObject } from '@millrace/core';

/**
 * Characters of JSON that the inputs and outputs of a detail's logs have together. An execution may put out 64 MiB, and
 * the journal's every value is shown again as the input of each node that follows. 4 MiB is the largest value that
 * expressions make, and is written in some 20 ms, while which nobody else is answered. Escapes in long texts are not counted:
 * of nothing but control characters it is six times as much, which is still harmless.
 */
const maxLogValues = 4_194_304;

/** Characters that a marker shows: a line or two, which tells what kind of value it stands for. */
const previewLength = 200;

/** Characters past which a text is not written to be measured, and an object's measure is kept: less is measured as fast as found. */
const small = 1000;

interface LogValues {
  readonly input: Json;
  readonly output: JsonObject | null;
}

/** What stands in a log entry for a value that does not fit. */
interface Marker extends JsonObject {
  readonly truncated: true;
  readonly size: number;
  readonly preview: string;
}

/** The same logs, with markers for the values that are too large to be shown with all others. */
export function fitLogValues<Log extends LogValues>(logs: readonly Log[]): Log[] {
  const measures = new Measures();
  let left = maxLogValues;
  const fit = <Value extends Json>(value: Value): Value | Marker => {
    const { size, start } = measures.of(value);
    // A marker would be no shorter. There are as many of these as steps, which have a limit of their own.
    if (size <= previewLength) return value;
    if (size > left) return { truncated: true, size, preview: start };
    left -= size;
    return value;
  };
  // First what steps put out: an input is, nearly always, an output of the node before.
  const outputs = logs.map((log) => ({ ...log, output: fit(log.output) }));
  return outputs.map((log) => ({ ...log, input: fit(log.input) }));
}

/** How many characters a value's JSON has, and how it begins. */
interface Measure {
  readonly size: number;
  readonly start: string;
}

/** Measures each value once, in however many places it is used: inputs share what the journal has once. */
class Measures {
  readonly #known = new Map<object, Measure>();

  /** By its parts: an object may be new (of ports, or of inputs), while its parts are values that others have, too. */
  of(value: Json): Measure {
    if (typeof value !== 'object' || value === null) return measureScalar(value);
    return this.#known.get(value) ?? this.#keep(value, this.#ofParts(value));
  }

  #ofParts(value: readonly Json[] | JsonObject): Measure {
    const isList = isArray(value);
    let start = isList ? '[' : '{';
    let size = 2;
    let separator = '';
    for (const [key, part] of isList ? value.entries() : Object.entries(value)) {
      const before = isList ? separator : `${separator}${JSON.stringify(key)}:`;
      const measure = this.#ofPart(part);
      size += before.length + measure.size;
      if (start.length < previewLength) start += before + measure.start;
      separator = ',';
    }
    return { size, start: (start + (isList ? ']' : '}')).slice(0, previewLength) };
  }

  /** A part was stored as JSON, so that it can be written; and writing is several times as fast as walking it. */
  #ofPart(value: Json): Measure {
    if (typeof value !== 'object' || value === null) return measureScalar(value);
    return this.#known.get(value) ?? this.#keep(value, measureWritten(JSON.stringify(value)));
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
  if (json.length <= previewLength) return { size: json.length, start: json };
  // A slice would keep the whole text in memory; this is a text of its own.
  return { size: json.length, start: json.slice(0, previewLength).split('').join('') };
}
