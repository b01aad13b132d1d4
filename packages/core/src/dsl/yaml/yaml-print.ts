import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { resolvePlain } from './yaml-scalar.ts';

/** The preferred length of lines: longer values are printed on their own lines. */
const width = 100;

/** `key: value` as lines of block YAML with this indentation. Every value has exactly one such form. */
export function printEntry(key: string, value: Json, indent: number): string {
  return `${' '.repeat(indent)}${inlineText(key)}:${printValue(value, { indent, column: indent + key.length + 1 })}`;
}

/** `- value` as lines of block YAML. */
export function printItem(value: Json, indent: number): string {
  const head = `${' '.repeat(indent)}-`;
  const inline = inlineWithin(value, width - indent - 2);
  if (inline !== null) return `${head} ${inline}\n`;
  if (typeof value === 'string') return `${head}${printText(value, indent + 2)}`;
  // The first line of the contents is on the line of the dash.
  return `${head} ${blockLines(value, indent + 2).slice(indent + 2)}`;
}

interface Room {
  readonly indent: number;
  /** The column at which the value would begin on the line of its key. */
  readonly column: number;
}

function printValue(value: Json, { indent, column }: Room): string {
  const inline = inlineWithin(value, width - column - 1);
  if (inline !== null) return ` ${inline}\n`;
  if (typeof value === 'string') return printText(value, indent + 2);
  return `\n${blockLines(value, indent + 2)}`;
}

function blockLines(value: Json, indent: number): string {
  if (isArray(value)) return value.map((item) => printItem(item, indent)).join('');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, item]) => printEntry(key, item, indent))
      .join('');
  throw new Error('A scalar has no lines of its own.');
}

/** Text with line breaks as a literal block if a block can hold it, else in quotes. */
function printText(text: string, indent: number): string {
  if (!fitsBlock(text)) return ` ${inlineText(text)}\n`;
  const chomp = text.endsWith('\n') ? '' : '-';
  const lines = (chomp === '' ? text.slice(0, -1) : text).split('\n');
  return ` |${chomp}\n${lines.map((line) => (line === '' ? '\n' : `${' '.repeat(indent)}${line}\n`)).join('')}`;
}

/** The first line of a block determines its indentation, and its end whether a line break is part of the text. */
function fitsBlock(text: string): boolean {
  return text.includes('\n') && /^[^\s]/.test(text) && !text.endsWith('\n\n') && !unprintable.test(text);
}

/** The value on one line of at most this length, or null; a scalar may be longer, unless it has several lines. */
function inlineWithin(value: Json, room: number): string | null {
  if (typeof value === 'string') return fitsBlock(value) ? null : inlineText(value);
  if (!isArray(value) && !isObject(value)) return scalarText(value);
  return flow(value, room);
}

function flow(value: Json, room: number): string | null {
  if (typeof value === 'string') return fitsBlock(value) ? null : within(flowText(value), room);
  if (isArray(value))
    return flowOf(
      '[]',
      value.map((item) => ({ prefix: '', item })),
      room,
    );
  if (!isObject(value)) return within(scalarText(value), room);
  return flowOf('{}', flowEntries(value), room);
}

function flowEntries(value: JsonObject) {
  return Object.entries(value).map(([key, item]) => ({ prefix: `${flowText(key)}: `, item }));
}

/** Stops at the first part that does not fit, so that no text is built repeatedly on each level. */
function flowOf(
  brackets: '[]' | '{}',
  parts: readonly { readonly prefix: string; readonly item: Json }[],
  room: number,
): string | null {
  // This is the shortest and only form.
  if (parts.length === 0) return brackets;
  let text = brackets.slice(0, 1);
  for (const [index, { prefix, item }] of parts.entries()) {
    const before = `${index === 0 ? '' : ', '}${prefix}`;
    const printed = flow(item, room - text.length - before.length - 1);
    if (printed === null) return null;
    text += before + printed;
  }
  return within(text + brackets.slice(1), room);
}

function within(text: string, room: number): string | null {
  return text.length <= room ? text : null;
}

function scalarText(value: number | boolean | null): string {
  // An integer that is not exact is written as a float.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return value.toExponential();
  return JSON.stringify(value);
}

/** Text in a block: plain if YAML parses it as the same text. */
function inlineText(text: string): string {
  return isPlain(text) ? text : quoted(text);
}

function flowText(text: string): string {
  return isPlain(text) && !/[,[\]{}]/.test(text) ? text : quoted(text);
}

function isPlain(text: string): boolean {
  return (
    /^[^\s\-?:,[\]{}#&*!|>'"%@`=<]/.test(text) &&
    !/\s$|\n|: |:$| #|^\.\.\./.test(text) &&
    !/[\t\r]/.test(text) &&
    !unprintable.test(text) &&
    typeof resolvePlain(text) === 'string'
  );
}

/** Characters that YAML does not accept unescaped, or that disguise text: other line ends, direction marks. */
const unprintable = /[[\p{Cc}--[\t\n]]\p{Cs}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/v;
const unprintables = new RegExp(unprintable.source, 'gv');

/** The quotes and escapes of JSON are also valid in YAML. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    unprintables,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
