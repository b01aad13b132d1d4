import { isArray, type Json, type JsonObject } from '@millrace/core';

/**
 * Characters of JSON that the inputs and outputs of a detail's logs have together. An execution may put out 64 MiB, and
 * the journal's every value is shown again as the input of each node that follows. 4 MiB is the largest value that
 * expressions make, and is written in some 20 ms, while which nobody else is answered. Escapes in long texts are not
 * counted: of nothing but control characters it is six times as much, which is still harmless.
 */
const maxLogValues = 4_194_304;

/** Characters that a marker shows: a line or two, which tells what kind of value it stands for. */
const previewLength = 200;

/** Characters past which a text is not walked and an object's measure is kept: less is measured as fast as it is found. */
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
    const { length, start } = measures.of(value);
    // A marker would be no shorter. There are as many of these as steps, which have a limit of their own.
    if (length <= previewLength) return value;
    if (length > left) return { truncated: true, size: length, preview: start };
    left -= length;
    return value;
  };
  // First what steps put out: an input is, nearly always, an output of the node before.
  const outputs = logs.map((log) => ({ ...log, output: fit(log.output) }));
  return outputs.map((log) => ({ ...log, input: fit(log.input) }));
}

/** How long a value's JSON is, and how it begins. */
interface Measure {
  readonly length: number;
  readonly start: string;
}

/** Measures each value once, in however many places it is used: inputs share what the journal has once. */
class Measures {
  readonly #known = new Map<Json, Measure>();

  of(value: Json): Measure {
    if (typeof value === 'string') return measureText(value);
    if (typeof value !== 'object' || value === null) return measureWritten(String(value));
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const measure = this.#ofParts(value);
    if (measure.length > small) this.#known.set(value, measure);
    return measure;
  }

  #ofParts(value: readonly Json[] | JsonObject): Measure {
    const isList = isArray(value);
    let start = isList ? '[' : '{';
    let length = 2;
    let separator = '';
    for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
      const before = isList ? separator : `${separator}${JSON.stringify(key)}:`;
      const part = this.of(item);
      length += before.length + part.length;
      if (start.length < previewLength) start += before + part.start;
      separator = ',';
    }
    return { length, start: (start + (isList ? ']' : '}')).slice(0, previewLength) };
  }
}

function measureText(text: string): Measure {
  if (text.length <= small) return measureWritten(JSON.stringify(text));
  const { start } = measureWritten(JSON.stringify(text.slice(0, previewLength)));
  return { length: text.length + 2, start };
}

function measureWritten(json: string): Measure {
  return { length: json.length, start: json.slice(0, previewLength) };
}
