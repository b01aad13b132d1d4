import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { Lines } from '../../base/texts/lines.ts';
import type { IssueCode } from '../../validation/graph-issue.ts';
import type { DslIssue } from '../dsl-issue.ts';
import { tooLarge, yamlLimits } from './yaml-limits.ts';
import { losesCharacters, resolvePlain } from './yaml-scalar.ts';
import type { YamlList, YamlMap, YamlNode, YamlScalar } from './yaml-tree.ts';

/** A text parsed as YAML, as far as it could be. */
export interface YamlDocument {
  /** Null if the text could not be parsed or is empty. */
  readonly root: YamlNode | null;
  readonly lines: Lines;
  readonly issues: readonly DslIssue[];
}

/**
 * Parses one YAML 1.2 document of the core schema, without anchors, aliases and tags, into values with positions. Every
 * text produces a document; errors are among its issues.
 */
export function parseYaml(text: string): YamlDocument {
  const lines = new Lines(text);
  const reject = (code: 'syntax' | 'too_large', message: string, offset: number): YamlDocument => ({
    root: null,
    lines,
    issues: [{ code, severity: 'error', message, ...lines.placeOf(offset) }],
  });
  const limit = tooLarge(text);
  if (limit !== null) return reject('too_large', limit, 0);
  const events = eventsOf(text);
  if (!isEvents(events)) return reject(events.code, events.message, events.offset);
  const builder = new TreeBuilder(text, lines);
  for (const event of events) builder.add(event);
  return builder.finish();
}

interface SyntaxIssue {
  readonly code: 'syntax' | 'too_large';
  readonly message: string;
  readonly offset: number;
}

/** The parser's own errors have at most a position. Any other exception that it throws becomes an issue as well. */
function eventsOf(text: string): readonly Event[] | SyntaxIssue {
  try {
    // The parser also counts the document and the scalar inside; the exact depth is checked when the tree is built.
    return parseEvents(text, { maxDepth: yamlLimits.depth + 2 });
  } catch (error) {
    const isOwn = error instanceof YAMLException;
    const reason = isOwn ? error.reason : 'the text cannot be read';
    const offset = Math.min((isOwn ? error.mark?.position : undefined) ?? 0, text.length);
    if (reason.includes('maxDepth')) return { code: 'too_large', message: tooDeep, offset };
    const words = hasBracesBefore(text, offset) ? unquoted : `This is not YAML: ${syntaxMessage(reason)}`;
    return { code: 'syntax', message: `${words}.`, offset };
  }
}

function isEvents(events: readonly Event[] | SyntaxIssue): events is readonly Event[] {
  return Array.isArray(events);
}

/** A list or map under construction. */
type Open =
  | { readonly kind: 'list'; readonly node: YamlList }
  | { readonly kind: 'map'; readonly node: YamlMap; key: { readonly text: string; readonly offset: number } | null }
  | { readonly kind: 'document' };

/** Builds the tree from the parser's events, and reports YAML features that this language does not support. */
class TreeBuilder {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #issues: DslIssue[] = [];
  readonly #open: Open[] = [];
  #root: YamlNode | null = null;
  #documents = 0;
  /** The position of the last value, used for a missing value. */
  #last = 0;

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
  }

  add(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.#documents += 1;
        if (this.#documents === 2) this.#report('syntax', 'The text holds more than one document.', this.#last);
        this.#open.push({ kind: 'document' });
        return;
      case EVENT_ID.POP:
        this.#open.pop();
        return;
      case EVENT_ID.ALIAS:
        this.#report('unsupported', 'Aliases (*name) are not allowed: write the value out.', event.anchorStart - 1);
        this.#place({ kind: 'scalar', offset: event.anchorStart - 1, value: null }, null);
        return;
      case EVENT_ID.SCALAR:
        this.#addScalar(event);
        return;
      default:
        this.#addContainer(event);
    }
  }

  finish(): YamlDocument {
    const isEmpty = this.#root === null && this.#issues.length === 0;
    if (isEmpty) this.#report('syntax', 'The text holds nothing.', 0);
    return { root: this.#root, lines: this.#lines, issues: this.#issues };
  }

  #addContainer(event: Extract<Event, { start: number }>): void {
    this.#rejectProperties(event);
    this.#last = event.start;
    // The document counts as one open level.
    if (this.#open.length === yamlLimits.depth + 1) this.#report('too_large', tooDeep, event.start);
    if (event.type === EVENT_ID.SEQUENCE) {
      const node: YamlList = { kind: 'list', offset: event.start, items: [] };
      this.#place(node, null);
      this.#open.push({ kind: 'list', node });
    } else {
      const node: YamlMap = { kind: 'map', offset: event.start, entries: new Map() };
      this.#place(node, null);
      this.#open.push({ kind: 'map', node, key: null });
    }
  }

  #addScalar(event: Extract<Event, { valueStart: number }>): void {
    this.#rejectProperties(event);
    const text = getScalarValue(this.#text, event);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    // The parser's range of quoted text excludes the quotes; a missing value has no range.
    const offset = event.valueStart < 0 ? this.#last : event.valueStart - (isQuoted ? 1 : 0);
    this.#last = offset;
    const isTagged = event.tagStart !== -1;
    const value = isPlain && !isTagged ? resolvePlain(text) : text;
    this.#checkScalar(value, text, offset);
    if (isPlain && typeof value === 'number' && losesCharacters(text) && !this.#isAtKey()) {
      this.#report(
        'unsupported',
        `'${text}' would become the number ${value}: put it in quotes, or write ${value}.`,
        offset,
      );
    }
    this.#place({ kind: 'scalar', offset, value }, text);
  }

  /** Whether the next value is a key, which is text in any form. */
  #isAtKey(): boolean {
    const open = this.#open.at(-1);
    return open?.kind === 'map' && open.key === null;
  }

  #checkScalar(value: YamlScalar['value'], text: string, offset: number): void {
    if (typeof value === 'number' && !Number.isFinite(value))
      this.#report('unsupported', `'${text}' is a number that JSON does not have.`, offset);
    if (!text.isWellFormed() || text.includes('\0'))
      this.#report('unsupported', 'Text must not contain the character U+0000 or half of a surrogate pair.', offset);
  }

  #rejectProperties(event: { anchorStart: number; tagStart: number }): void {
    if (event.anchorStart !== -1)
      this.#report('unsupported', 'Anchors (&name) are not allowed: write the value out.', event.anchorStart - 1);
    if (event.tagStart !== -1)
      this.#report('unsupported', 'Tags (!name) are not allowed: put text in quotes.', event.tagStart);
  }

  /** Adds a value to its container; `text` is the text of a scalar used as a key. */
  #place(node: YamlNode, text: string | null): void {
    const open = this.#open.at(-1);
    if (open === undefined || open.kind === 'document') {
      if (this.#documents === 1) this.#root ??= node;
    } else if (open.kind === 'list') open.node.items.push(node);
    else if (open.key === null) {
      if (text === null) this.#rejectKey(node.offset);
      open.key = { text: text ?? '', offset: node.offset };
    } else {
      this.#setEntry(open.node, open.key, node);
      open.key = null;
    }
  }

  #rejectKey(offset: number): void {
    // To YAML, two braces are a map inside a map.
    if (this.#text.startsWith('{{', offset - 1)) this.#report('unsupported', `${unquoted}.`, offset - 1);
    else this.#report('unsupported', 'A key must be plain text.', offset);
  }

  #setEntry(map: YamlMap, key: { readonly text: string; readonly offset: number }, value: YamlNode): void {
    if (key.text === '__proto__') this.#report('unsupported', "A key must not be '__proto__'.", key.offset);
    else if (map.entries.has(key.text)) this.#report('duplicate', `The key '${key.text}' occurs twice.`, key.offset);
    else map.entries.set(key.text, { keyOffset: key.offset, value });
  }

  #report(code: IssueCode, message: string, offset: number): void {
    // Hostile text can contain thousands of these, each with a position: no more are useful.
    if (this.#issues.length >= maxIssues) return;
    this.#issues.push({ code, severity: 'error', message, ...this.#lines.placeOf(Math.max(0, offset)) });
  }
}

const unquoted = "Put a text that begins with an expression in quotes, e.g. url: '{{ trigger.payload.url }}'";

/** Whether a value that begins with two braces precedes the offset in its line, so that it is an expression without quotes. */
function hasBracesBefore(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /(?:^|[:,[-])[ \t]*\{\{/.test(line.slice(-examinedCharacters));
}

/** Characters before an error that are examined: longer expressions are usually in quotes, because they have several lines. */
const examinedCharacters = 1_000;

const tooDeep = `Values may be nested at most ${yamlLimits.depth} levels deep.`;

/** More than a user fixes before checking again. */
const maxIssues = 100;

/** Beginnings or parts of the parser's reasons, and messages for the author of the text: the error and its fix. */
const words: readonly (readonly [reason: RegExp, words: string])[] = [
  [
    /^bad indentation of a mapping entry/,
    "the indentation is wrong here, or a text needs quotes: one that contains ': ' or begins with a character such as @",
  ],
  [/indentation of a sequence entry|deficient indentation/, 'the indentation does not match the lines above'],
  [/^end of the stream or a document/, 'nothing more may follow here: check the indentation and the brackets above'],
  [/within a flow collection/, 'a bracket is opened and never closed'],
  [/quoted scalar/, 'a quote is opened and never closed'],
  [/^missed comma|^expected '|but found '/, 'a comma or a closing bracket is missing, or there is one too many'],
  [/^tab characters/, 'lines are indented with spaces, not with tabs'],
  [/escape sequence|hexadecimal/, 'after a \\ in double quotes stands n, t, " or \\; or put the text in single quotes'],
  [/JSON character|non-printable/, 'the text contains a control character'],
  [/^can not read a block mapping entry|multiline key/, "a key has no ':' after it, or is longer than its line"],
  [/whitespace character is expected|line break is expected/, 'a space or the end of the line is missing here'],
  [/directive|YAML version/, 'lines that begin with % are not allowed: leave them out, or put the text in quotes'],
  [/\btag\b/, 'tags (!name) are not allowed: put text in quotes'],
  [/anchor|alias/, 'anchors (&name) and aliases (*name) are not allowed: write the value out, or put text in quotes'],
  [/block scalar|chomping|indentation width/, '| or > may be followed by at most one digit from 1 to 9 and one + or -'],
];

/** The message for one of the parser's reasons. */
function syntaxMessage(reason: string): string {
  return words.find(([pattern]) => pattern.test(reason))?.[1] ?? 'the text cannot be read here';
}
