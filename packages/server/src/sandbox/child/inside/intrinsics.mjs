/**
 * The language features that the harness needs, saved before the script runs, which shares its globals and may change
 * all of them. This is not a security boundary (the process is): a script that breaks the harness only spoils its own
 * result.
 */
export const { parse, stringify } = JSON;
export const { isArray } = Array;
export const { keys } = Object;
export const { isFinite: isFiniteNumber } = Number;
export const toText = String;

/** @type {Function} */
const AsyncFunction = (async () => {}).constructor;

/**
 * Converts a method to a function of its object.
 * @type {(method: Function) => (self: unknown, ...args: unknown[]) => any}
 */
export const uncurry = Function.prototype.bind.bind(Function.prototype.call);

/** @type {(self: RegExp, text: string) => RegExpExecArray | null} */
export const exec = uncurry(RegExp.prototype.exec);
/** @type {(self: string, from: number, to: number) => string} */
const slice = uncurry(String.prototype.slice);
/** @type {(self: string) => string} */
const toWellFormed = uncurry(String.prototype.toWellFormed);
/** @type {(self: Promise<unknown>, done: (value: unknown) => void, failed: (thrown: unknown) => void) => unknown} */
export const settled = uncurry(Promise.prototype.then);
const tagged = uncurry(Object.prototype.toString);

/** The kind of object by its tag: `Map`, `Date`, mostly `Object`. @param {unknown} value @returns {string} */
export const kindOf = (value) => slice(tagged(value), '[object '.length, -1);

/**
 * Whether a text is the body of one async function, and does not close it and continue after it.
 * @param {string} source
 */
export function isBody(source) {
  try {
    return typeof AsyncFunction(source) === 'function';
  } catch {
    return false;
  }
}

/** The text, truncated to a length. @param {string} text @param {number} length */
export const short = (text, length) => toWellFormed(text.length > length ? `${slice(text, 0, length)}…` : text);
