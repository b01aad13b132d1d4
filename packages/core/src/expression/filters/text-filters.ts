import { jsonCharactersPerStep } from '../../base/meter.ts';
import { textOf } from '../../base/resolved.ts';
import { ownPart } from '../../base/texts/own-text.ts';
import { isObject, type Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { maxTextLength } from '../limits.ts';
import { charactersOf, fromCharacters, toText } from '../text.ts';
import { TextSearch } from '../text-search.ts';
import { flag, integer, text } from './arguments.ts';
import type { Arguments, Filter } from './filter.ts';

/** A filter from text to text of about the same length. */
function changeOf(name: string, description: string, change: (input: string) => string): Filter {
  return {
    name,
    parameters: [],
    description,
    apply(value, _args, evaluation) {
      const input = text(value, `The input of '${name}'`, evaluation);
      evaluation.spendOnText(input.length);
      const changed = change(input);
      // A few letters become two or three letters in upper case.
      evaluation.checkLength(changed.length);
      return changed;
    },
  };
}

function capitalized(input: string): string {
  const first = String.fromCodePoint(input.codePointAt(0) ?? 0);
  return input === '' ? '' : first.toUpperCase() + input.slice(first.length).toLowerCase();
}

/** The length of a short word and the space after it: the cost of `title` is per word. */
const leastWordLength = 8;

const title: Filter = {
  name: 'title',
  parameters: [],
  description: 'The text with the first letter of each word in upper case and the others in lower case.',
  apply(value, _args, evaluation) {
    const input = text(value, "The input of 'title'", evaluation);
    evaluation.spend(input.length / leastWordLength);
    // Words begin after the same characters as in Jinja.
    return input.replace(/[^-\s({[<]+/g, capitalized);
  },
};

const truncate: Filter = {
  name: 'truncate',
  parameters: [
    { name: 'length', default: 255 },
    { name: 'killwords', default: false },
    { name: 'end', default: '...' },
    { name: 'leeway', default: 5 },
  ],
  description:
    'The text, cut after the last word that fits into `length` characters including `end`, unless it is at most `leeway` longer. `killwords` allows a cut inside a word.',
  apply(value, args, evaluation) {
    const input = text(value, "The input of 'truncate'", evaluation);
    const characters = charactersOf(input, evaluation);
    const end = text(args[2], "'end'", evaluation);
    const endLength = charactersOf(end, evaluation).length;
    const length = integer(args[0], { what: "'length'", least: endLength, most: maxTextLength }, evaluation);
    const leeway = integer(args[3], { what: "'leeway'", least: 0, most: maxTextLength }, evaluation);
    if (characters.length <= length + leeway) return input;
    const kept = ownPart(fromCharacters(characters.slice(0, length - endLength)), input);
    const lastSpace = flag(args[1], "'killwords'", evaluation) ? -1 : kept.lastIndexOf(' ');
    return (lastSpace === -1 ? kept : kept.slice(0, lastSpace)) + end;
  },
};

const replace: Filter = {
  name: 'replace',
  parameters: [{ name: 'old' }, { name: 'new' }, { name: 'count', optional: true }],
  description:
    'The text with every `old` (or only the first `count`) replaced by `new`. Both are plain text, not patterns.',
  apply(value, args, evaluation) {
    const input = text(value, "The input of 'replace'", evaluation);
    const old = text(args[0], "'old'", evaluation);
    const replacement = text(args[1], "'new'", evaluation);
    if (old === '') evaluation.fail("'old' must not be empty text.");
    const what = { what: "'count'", least: 0, most: 1e9 };
    const count = args[2] === undefined ? Number.POSITIVE_INFINITY : integer(args[2], what, evaluation);
    const pieces = piecesOf(input, { separator: old, most: count }, evaluation);
    const length = input.length + (pieces.length - 1) * (replacement.length - old.length);
    evaluation.checkLength(length);
    evaluation.spendOnText(length);
    return pieces.join(replacement);
  },
};

const split: Filter = {
  name: 'split',
  parameters: [
    { name: 'separator', optional: true },
    { name: 'maxsplit', optional: true },
  ],
  description: 'The list of the parts of a text between separators. Without a separator, the list of its words.',
  apply(value, args, evaluation) {
    const input = text(value, "The input of 'split'", evaluation);
    const what = { what: "'maxsplit'", least: 0, most: 1e9 };
    const most = args[1] === undefined ? Number.POSITIVE_INFINITY : integer(args[1], what, evaluation);
    if (args[0] === undefined || args[0] === null) return wordsOf(input, most, evaluation);
    const separator = text(args[0], "'separator'", evaluation);
    if (separator === '') evaluation.fail("'separator' must not be empty text; '| list' gives the characters.");
    return piecesOf(input, { separator, most }, evaluation);
  },
};

/** The parts of a text between its first `most` separators. */
function piecesOf(
  input: string,
  { separator, most }: { readonly separator: string; readonly most: number },
  evaluation: Evaluation,
): string[] {
  const search = new TextSearch(separator);
  evaluation.spend(search.stepsFor(input.length));
  const pieces: string[] = [];
  let from = 0;
  for (let at = search.indexIn(input, 0); at !== -1 && pieces.length < most; at = search.indexIn(input, from)) {
    evaluation.spend(1);
    pieces.push(ownPart(input.slice(from, at), input));
    from = at + separator.length;
  }
  pieces.push(ownPart(input.slice(from), input));
  return pieces;
}

/** The words of a text; after `most` splits the rest is one word, as in Python. */
function wordsOf(input: string, most: number, evaluation: Evaluation): string[] {
  evaluation.spendOnText(input.length);
  const words: string[] = [];
  let rest = input.trimStart();
  for (let end = rest.search(/\s/); end !== -1 && words.length < most; end = rest.search(/\s/)) {
    evaluation.spend(1);
    words.push(ownPart(rest.slice(0, end), input));
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? words : [...words, ownPart(rest, input)];
}

const string: Filter = {
  name: 'string',
  parameters: [],
  description: 'The value as text: text unchanged, any other value as JSON.',
  apply: (value, _args, evaluation) => toText(value, evaluation),
};

export const urlencode: Filter = {
  name: 'urlencode',
  parameters: [],
  description:
    'The text, percent-encoded except for letters, digits and `-_.~` (`/` is encoded too); an object as `key=value&key=value`.',
  apply(value, _args, evaluation) {
    const encoded = isObject(value)
      ? Object.entries(value).map((entry) => entry.map((part) => percentEncoded(part, evaluation)).join('='))
      : [percentEncoded(value, evaluation)];
    evaluation.checkLength(encoded.reduce((length, part) => length + part.length + 1, -1));
    return encoded.join('&');
  },
};

function percentEncoded(value: Json, evaluation: Evaluation): string {
  const input = textOf(value) ?? evaluation.fail("The input of 'urlencode' must be text or an object of texts.");
  return urlComponent(input, evaluation);
}

/** Text with everything but letters, digits and `-_.~` as %XX: it has the same meaning in every part of a URL. */
export function urlComponent(input: string, evaluation: Evaluation): string {
  evaluation.spend(1 + input.length / jsonCharactersPerStep);
  const encoded = encodeURIComponent(input.toWellFormed());
  return encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Characters that are looked up in a set in one step. */
const lookedUpPerStep = 4;

function trimmed(value: Json, args: Arguments, evaluation: Evaluation): string {
  const input = text(value, "The input of 'trim'", evaluation);
  evaluation.spendOnText(input.length);
  if (args[0] === undefined || args[0] === null) return ownPart(input.trim(), input);
  const characters = text(args[0], "'chars'", evaluation);
  evaluation.spend(characters.length);
  const unwanted = new Set(characters);
  let start = 0;
  let end = input.length;
  while (start < end && unwanted.has(input[start] ?? '')) start += 1;
  while (end > start && unwanted.has(input[end - 1] ?? '')) end -= 1;
  // Only now it is known how many characters were looked up.
  evaluation.spend((start + input.length - end) / lookedUpPerStep);
  return ownPart(input.slice(start, end), input);
}

/** Filters that work on text. */
export const textFilters: readonly Filter[] = [
  changeOf('upper', 'The text in upper case.', (input) => input.toUpperCase()),
  changeOf('lower', 'The text in lower case.', (input) => input.toLowerCase()),
  changeOf('capitalize', 'The text with its first letter in upper case and the rest in lower case.', capitalized),
  title,
  {
    name: 'trim',
    parameters: [{ name: 'chars', optional: true }],
    description: 'The text without whitespace, or the given characters, at both ends.',
    apply: trimmed,
  },
  truncate,
  replace,
  split,
  string,
  urlencode,
];
