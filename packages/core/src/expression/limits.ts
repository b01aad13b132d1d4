/** The longest expression, in characters: far above any written by hand, and parsed in a few milliseconds. */
export const maxExpressionLength = 16_384;

/** The longest text of a template: what it renders to may not be longer either. */
export const maxTemplateLength = 1_048_576;

/** How deep brackets, signs and conditions nest: well inside the stack, as one level costs about twenty calls. */
export const maxNesting = 64;

/** Operators, dots and filters of one expression: each can make its tree one deeper, and evaluation follows the tree. */
export const maxOperators = 1_000;

/** How deep a config document nests: the API's limit for a body is 64, so a stored one is always within. */
export const maxConfigDepth = 128;

/** How deep a built value nests: a request's body (64) inside literals (64), with room for filters that wrap. */
export const maxValueDepth = 200;

/** The longest text that an expression builds, in characters: the size of the largest request body. */
export const maxTextLength = 1_048_576;

/** The most JSON that the built values of one evaluation come to, in characters: a 16th of a run's byte budget. */
export const maxResultSize = 4_194_304;

/**
 * Steps of one evaluation: each part of an expression and each item a filter looks at is one. A list of 15,000 items
 * can be sorted or pass through six filters, and all of it takes about 10 ms, so no expression holds up other runs.
 */
export const defaultFuel = 100_000;

/** Steps of one config: three times an expression's, as all its expressions are evaluated in one go, about 50 ms at worst. */
export const configFuel = 300_000;

/** Plain text work costs a step for so many characters: copying or scanning them takes about as long as one step. */
export const charactersPerStep = 256;

/** Reading or writing JSON takes some ten times longer per character. */
export const jsonCharactersPerStep = 32;
