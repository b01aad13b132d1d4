import { isArray, type Json } from '../../json.ts';
import type { Expression, Key } from '../ast.ts';
import { ExpressionError } from '../expression-error.ts';
import { constants, keywords } from '../grammar.ts';
import { parseEmbedded, parseExpression } from '../parse.ts';
import { reservedNames } from '../scope.ts';
import { setOwn } from '../set-own.ts';
import {
  type ConfigOptions,
  type ConfigPlace,
  configEntries,
  configRoot,
  hasBraces,
  isContainer,
} from './config-text.ts';
import { visitPaths } from './references.ts';

/** A node's new name. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** A part of a text to replace. */
interface Edit {
  readonly offset: number;
  readonly end: number;
  readonly text: string;
}

const reserved: ReadonlySet<string> = new Set(reservedNames);

/** Whether `<name>.<port>` refers to the node of that name; otherwise only `nodes.<name>.<port>` does. */
function hasShorthand(name: string): boolean {
  return !reserved.has(name) && !keywords.has(name) && !constants.has(name);
}

/**
 * A template's text with a node renamed in its expressions. Everything else, including invalid expressions, is
 * unchanged.
 */
export function renameNodeInText(text: string, from: string, to: string): string {
  if (!mayName(text, from)) return text;
  const edits: Edit[] = [];
  let next = text.indexOf('{{');
  while (next !== -1) {
    const found = parsed(() => parseEmbedded(text, next + 2));
    if (found !== undefined) edits.push(...editsFor(found.expression, { from, to }));
    next = text.indexOf('{{', found?.end ?? next + 2);
  }
  return edited(text, edits);
}

/** Bare expression text, with or without `{{ }}` around it, with a node renamed in it. */
export function renameNodeInExpression(text: string, from: string, to: string): string {
  if (!mayName(text, from)) return text;
  if (hasBraces(text)) return renameNodeInText(text, from, to);
  const expression = parsed(() => parseExpression(text));
  return expression === undefined ? text : edited(text, editsFor(expression, { from, to }));
}

/**
 * A config document with a node renamed in its expressions; the same object if nothing changes. Text that a component
 * evaluates itself over the run's scope, such as a switch's `rules.*.field`, is listed under `bareExpressions` here.
 */
export function renameNodeInConfig(config: Json, from: string, to: string, options: ConfigOptions = {}): Json {
  return renamed(config, configRoot(options), { from, to });
}

function renamed(value: Json, place: ConfigPlace, renaming: Renaming): Json {
  if (typeof value === 'string') return renamedText(value, place, renaming);
  if (!isContainer(value)) return value;
  const changed = configEntries(value, place)
    .map(([key, item, below]) => ({ key, item, result: renamed(item, below, renaming) }))
    .filter(({ item, result }) => item !== result);
  if (changed.length === 0) return value;
  if (isArray(value)) {
    const copy = [...value];
    for (const { key, result } of changed) copy[Number(key)] = result;
    return copy;
  }
  const copy: Record<string, Json> = { ...value };
  for (const { key, result } of changed) setOwn(copy, key, result);
  return copy;
}

function renamedText(text: string, place: ConfigPlace, { from, to }: Renaming): string {
  switch (place.form) {
    case 'template':
    case 'url':
      return renameNodeInText(text, from, to);
    case 'bare':
      return renameNodeInExpression(text, from, to);
    case 'verbatim':
      return text;
  }
}

/** Whether a text can name a node at all; most cannot and need not be parsed. A key in quotes may contain escapes. */
function mayName(text: string, name: string): boolean {
  return text.includes(name) || text.includes('\\');
}

/** The result of a parser, or undefined for text that is not an expression: a rename does not report errors. */
function parsed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function editsFor(expression: Expression, renaming: Renaming): Edit[] {
  const edits: Edit[] = [];
  visitPaths(expression.root, ([root, key]) => {
    if (root?.name === 'nodes') {
      if (key?.name === renaming.from) edits.push(editOfKey(expression.text, key, renaming.to));
    } else if (root?.name === renaming.from && hasShorthand(renaming.from)) {
      const text = hasShorthand(renaming.to) ? renaming.to : `nodes.${renaming.to}`;
      edits.push({ offset: root.offset, end: root.end, text });
    }
  });
  // Named arguments of a filter may be written in another order than its parameters.
  return edits.sort((left, right) => left.offset - right.offset);
}

/** A key in quotes retains its quote character. Names of nodes contain no characters that need an escape. */
function editOfKey(text: string, { quoted, offset, end }: Key, to: string): Edit {
  const quote = !quoted ? '' : text[offset] === '"' ? '"' : "'";
  return { offset, end, text: `${quote}${to}${quote}` };
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = '';
  let from = 0;
  for (const edit of edits) {
    result += text.slice(from, edit.offset) + edit.text;
    from = edit.end;
  }
  return from === 0 ? text : result + text.slice(from);
}
