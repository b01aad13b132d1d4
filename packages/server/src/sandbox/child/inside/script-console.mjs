import { short, toText } from './intrinsics.mjs';
import { JsonWriter, Rejection } from './json-writer.mjs';

/** The stored console lines of a script: for reading, not for data. */
const maxLines = 100;
const maxLineLength = 1000;

/** A value as a line of the console shows it. @param {unknown} value @returns {string} */
export function shown(value) {
  if (typeof value !== 'object' || value === null) return toText(value);
  try {
    const writer = new JsonWriter();
    writer.write(value, 'value');
    return writer.text;
  } catch (thrown) {
    if (thrown instanceof Rejection) return `(${thrown.message})`;
    throw thrown;
  }
}

/** The `console` of one script: it has only the methods that write a line. */
export class ScriptConsole {
  /** @type {string[]} */
  lines = [];
  #print;

  /** @param {(line: string) => void} print receives each line at once: the script may be stopped before its lines can be read */
  constructor(print) {
    this.#print = print;
  }

  /** The object that the script sees. */
  asSeen() {
    /** @param {unknown[]} values */
    const log = (...values) => this.#add(values);
    return { log, info: log, warn: log, error: log, debug: log };
  }

  /** @param {unknown[]} values */
  #add(values) {
    const { lines } = this;
    if (lines.length > maxLines) return;
    if (lines.length === maxLines) {
      this.#keep(`… only the first ${maxLines} lines are stored.`);
      return;
    }
    let line = '';
    for (let index = 0; index < values.length && line.length <= maxLineLength; index += 1) {
      line += (index > 0 ? ' ' : '') + shown(values[index]);
    }
    this.#keep(short(line, maxLineLength));
  }

  /** @param {string} line */
  #keep(line) {
    this.lines[this.lines.length] = line;
    this.#print(line);
  }
}
