import { exec, isArray, isFiniteNumber, keys, kindOf, stringify, toText, uncurry } from './intrinsics.mjs';

/** Maximum characters of an output's JSON: it is journaled, sent and shown. */
const maxOutput = 1_048_576;
/** The same depth as other JSON in the service. */
const maxDepth = 64;

/** Why a value is not JSON. Not an Error, because scripts throw those. */
export class Rejection {
  /** @param {string} message */
  constructor(message) {
    this.message = message;
  }
}

const plainName = /^[A-Za-z_$][\w$]*$/;
/** Objects of these kinds would be written as `{}` or as a list of numbers: their content is not in fields. */
const opaque =
  /^((Weak)?(Map|Set|Ref)|Promise|RegExp|Error|ArrayBuffer|DataView|\w+Array|.*(Iterator|Generator)|Number|String|Boolean|Symbol|BigInt)$/;

/**
 * Writes a value as JSON and rejects a value that is not JSON, with its path. JSON.stringify silently drops some of
 * these values and writes the others as null.
 */
export class JsonWriter {
  /** @type {string} */
  text = '';
  /** The objects that contain the current value. @type {object[]} */
  #open = [];

  /** @param {unknown} value @param {string} path @returns {void} */
  write(value, path) {
    if (value === null || value === undefined) this.#add('null');
    else if (typeof value === 'object') this.#writeObject(value, path);
    else if (typeof value === 'string') this.#add(stringify(value));
    else if (typeof value === 'boolean' || (typeof value === 'number' && isFiniteNumber(value)))
      this.#add(toText(value));
    else if (typeof value === 'number') throw new Rejection(`${path} is ${value}, which is not JSON.`);
    else throw new Rejection(`${path} is a ${typeof value}, which is not JSON.`);
  }

  /** @param {string} more */
  #add(more) {
    this.text += more;
    if (this.text.length > maxOutput) {
      throw new Rejection(`The output is larger than ${maxOutput} characters of JSON.`);
    }
  }

  /** @param {object} value @param {string} path */
  #writeObject(value, path) {
    const toJson = 'toJSON' in value ? value.toJSON : undefined;
    const plain = typeof toJson === 'function' ? uncurry(toJson)(value, '') : value;
    // toJSON is not called on the result of toJSON: that could recur endlessly.
    if (plain === null || typeof plain !== 'object') this.write(plain, path);
    else this.#writeMembers(plain, path);
  }

  /** @param {object} value @param {string} path */
  #writeMembers(value, path) {
    const depth = this.#open.length;
    for (let index = 0; index < depth; index += 1) {
      if (this.#open[index] === value) throw new Rejection(`${path} contains itself.`);
    }
    if (depth >= maxDepth) throw new Rejection(`The output nests deeper than ${maxDepth} levels.`);
    this.#open[depth] = value;
    if (isArray(value)) this.#writeItems(value, path);
    else this.#writeFields(/** @type {Record<string, unknown>} */ (value), path);
    this.#open.length = depth;
  }

  /** @param {readonly unknown[]} items @param {string} path */
  #writeItems(items, path) {
    this.#add('[');
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) this.#add(',');
      this.write(items[index], `${path}[${index}]`);
    }
    this.#add(']');
  }

  /** @param {Record<string, unknown>} value @param {string} path */
  #writeFields(value, path) {
    const kind = kindOf(value);
    if (exec(opaque, kind) !== null) {
      throw new Rejection(`${path} is a ${kind}, which is not JSON: make a plain object or array of it.`);
    }
    const names = keys(value);
    let separator = '{';
    for (let index = 0; index < names.length; index += 1) {
      const name = /** @type {string} */ (names[index]);
      const field = value[name];
      // As everywhere in JavaScript, a field that is undefined counts as missing.
      if (field === undefined) continue;
      this.#add(`${separator}${stringify(name)}:`);
      separator = ',';
      this.write(field, exec(plainName, name) === null ? `${path}[${stringify(name)}]` : `${path}.${name}`);
    }
    this.#add(separator === '{' ? '{}' : '}');
  }
}
