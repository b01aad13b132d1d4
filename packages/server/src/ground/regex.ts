import { type Captured, ownPart, StepError } from '@millrace/core';
import { RE2JS } from 're2js';

/** A compiled pattern. `test` returns whether it matches anywhere in the text. */
export interface Pattern {
  test(text: string): boolean;
  /** The first match with its groups; null without a match. */
  capture(text: string): Captured | null;
  /** The source text of the pattern, which identifies it. */
  toString(): string;
}

/** Longer patterns are generated rather than written, and compile to large programs. */
const maxPatternLength = 1000;
/** With 1 MiB of text, one test of an ordinary pattern takes at most a few milliseconds. */
const maxTextLength = 1 << 20;
/** Repetitions such as `a{1000}` are unrolled; a few of them make a program that only wastes time. */
const maxProgramSize = 2000;
/** Maximum steps of one test in the slowest engine (program size × text length): at most about 0.2 s. */
const maxSteps = 10_000_000;
/** So many groups double the time of a capture: measured with 240 groups, which took 15 times as long as a test. */
const groupsPerStep = 16;
/** Maximum cached patterns; beyond it the oldest is removed. */
const maxCached = 500;

const cache = new Map<string, Pattern>();

/**
 * Compiles a regular expression that runs in linear time: no backreferences, no lookaround.
 * @throws StepError `config` if the pattern is invalid or too large
 */
export function compilePattern(pattern: string): Pattern {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const compiled = new LinearPattern(pattern);
  const oldest = cache.keys().next().value;
  if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
  cache.set(pattern, compiled);
  return compiled;
}

/**
 * Whether the pattern matches anywhere in the text.
 * @throws StepError `config` for an invalid pattern, `input` for a text that is too long for it
 */
export function matches(pattern: string, text: string): boolean {
  return compilePattern(pattern).test(text);
}

/**
 * The first match of the pattern in the text.
 * @throws StepError as `matches`
 */
export function capture(pattern: string, text: string): Captured | null {
  return compilePattern(pattern).capture(text);
}

class LinearPattern implements Pattern {
  readonly #source: string;
  readonly #program: RE2JS;
  readonly #maxText: number;
  /** A capture copies the places of all groups at each step. */
  readonly #maxCaptured: number;

  constructor(source: string) {
    this.#source = source;
    this.#program = compile(source);
    const size = this.#program.programSize();
    if (size > maxProgramSize) throw new StepError('config', 'The pattern is too large: it has too many repetitions.');
    this.#maxText = Math.min(maxTextLength, Math.floor(maxSteps / size));
    this.#maxCaptured = Math.floor(this.#maxText / (1 + this.#program.groupCount() / groupsPerStep));
  }

  test(text: string): boolean {
    this.#checkLength(text, this.#maxText);
    return this.#program.test(text);
  }

  capture(text: string): Captured | null {
    this.#checkLength(text, this.#maxCaptured);
    const matcher = this.#program.matcher(text);
    if (!matcher.find()) return null;
    const part = (found: string | null): string | null => found && ownPart(found, text);
    const groups = Array.from({ length: matcher.groupCount() }, (_, index) => part(matcher.group(index + 1)));
    const named = Object.entries(matcher.getNamedGroups()).map(([name, group]) => [name, part(group)] as const);
    return { match: part(matcher.group()) ?? '', groups, named: Object.fromEntries(named) };
  }

  #checkLength(text: string, most: number): void {
    if (text.length > most) {
      const limit = `at most ${most} are allowed`;
      throw new StepError(
        'input',
        `The text is too long for this pattern: it has ${text.length} characters, ${limit}.`,
      );
    }
  }

  toString(): string {
    return this.#source;
  }
}

function compile(source: string): RE2JS {
  if (source.length > maxPatternLength) {
    throw new StepError(
      'config',
      `The pattern has ${source.length} characters; at most ${maxPatternLength} are allowed.`,
    );
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    throw new StepError('config', `The pattern is invalid: ${patternMessage(error)}.`);
  }
}

/** The library's error kinds, and the message about the part of the pattern that they name. */
const mistakes: readonly (readonly [kind: string, say: (piece: string) => string])[] = [
  ['missing closing )', () => 'a ( is never closed'],
  ['unexpected )', () => 'a ) has no opening (; write a literal one as \\)'],
  ['missing closing ]', (piece) => `the [ of ${piece} is never closed`],
  ['missing argument to repetition operator', (piece) => `${piece} has nothing before it to repeat`],
  ['invalid nested repetition operator', (piece) => `${piece} repeats a repetition: put the inner part into (?: )`],
  ['invalid repeat count', (piece) => `${piece} may have at most 1000 repetitions, with the smaller number first`],
  ['invalid or unsupported Perl syntax', (piece) => `${piece} is not supported: patterns have no lookaround`],
  ['invalid named capture', (piece) => `${piece} is not a named group; patterns have no lookaround`],
  ['invalid escape sequence', (piece) => `${piece} is not supported: patterns have no backreferences`],
  ['invalid character class range', (piece) => `${piece} is not a character range or class`],
  ['duplicate capture group name', (piece) => `two groups are named ${piece}`],
  ['trailing backslash at end of expression', () => 'it ends with a \\ that escapes nothing'],
];

/** The reason why a pattern cannot be compiled, for its author. */
function patternMessage(error: unknown): string {
  const reason = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : 'it is not a pattern';
  const known = mistakes.find(([kind]) => reason.startsWith(kind));
  return known === undefined ? reason : known[1](reason.slice(known[0].length + 2).replaceAll('`', "'"));
}
