/** The longest expression, in characters: far longer than any written by hand, and parsed in a few milliseconds. */
export const maxExpressionLength = 16_384;

/** The longest text of a template; its rendered result may not be longer either. */
export const maxTemplateLength = 1_048_576;

/**
 * The deepest nesting of brackets, signs and conditions: well within the stack, as one level takes about twenty calls.
 */
export const maxNesting = 64;

/** Operators, dots and filters of one expression: each can make the tree one level deeper, and evaluation recurses. */
export const maxOperators = 1_000;

/** The deepest nesting of a config document: the API's limit for a body is 64, so a stored one is always within it. */
export const maxConfigDepth = 128;

/**
 * Expressions of one config. They are parsed in one piece, in some 20 ms, when a workflow is checked, changed or run: an
 * expression of 30 characters takes 10 µs.
 */
export const maxConfigExpressions = 2_000;

/** Errors reported for the expressions of one config: more than a user fixes before checking again. */
export const maxConfigErrors = 100;

/**
 * The deepest nesting of a built value: a request's body (64) inside literals (64), with room for filters that wrap.
 */
export const maxValueDepth = 200;

/** The longest text that an expression may build, in characters: the size of the largest request body. */
export const maxTextLength = 1_048_576;

/** The total size of the values built by one evaluation, in characters of JSON: 1/16 of a run's byte budget. */
export const maxResultSize = 4_194_304;

/**
 * Steps of one evaluation: each part of an expression and each item that a filter reads costs one. A list of 15,000
 * items can be sorted or passed through six filters. All steps take about 10 ms, so no expression delays other runs.
 */
export const defaultFuel = 100_000;

/**
 * Steps of one config: three times an expression's, as all its expressions are evaluated together; about 50 ms at most.
 */
export const configFuel = 300_000;

/** Listing the keys of an object takes a sixteenth of a step for each. */
export const keysPerStep = 16;

/** Splitting an attribute path of many keys takes about a quarter of a step per character. */
export const pathCharactersPerStep = 4;
