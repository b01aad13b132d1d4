/**
 * What the harness needs of the language, taken before the script comes that shares its globals and may change them
 * all. This is no wall (the process is): a script that breaks the harness spoils its own answer, and no more.
 */
export const { parse, stringify } = JSON;
export const { isArray } = Array;
export const { keys } = Object;
export const { isFinite: isFiniteNumber } = Number;
export const toText = String;

/** @type {Function} */
const AsyncFunction = (async () => {}).constructor;

/**
 * A method as a function of its object.
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

/** What kind of object it says it is: `Map`, `Date`, mostly `Object`. @param {unknown} value @returns {string} */
export const kindOf = (value) => slice(tagged(value), '[object '.length, -1);

/**
 * Whether a text is the body of one async function, and not its end with something behind it.
 * @param {string} source
 */
export function isBody(source) {
  try {
    return typeof AsyncFunction(source) === 'function';
  } catch {
    return false;
  }
}

/** The text, cut where it is longer. @param {string} text @param {number} length */
export const short = (text, length) => toWellFormed(text.length > length ? `${slice(text, 0, length)}…` : text);
