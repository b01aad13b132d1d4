import type { CodeCompletion, Completions } from '../../code/completion.ts';
import { type Sample, shortValue, typeName } from './sample.ts';

/** A port of a node that an expression can read. */
interface KnownPort {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** A node that an expression can read. */
export interface KnownNode {
  readonly id: string;
  readonly label: string;
  readonly ports: readonly KnownPort[];
}

/** A function of the expression language. */
export interface KnownFunction {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
}

/** What the expressions of a node can use. */
export interface ExpressionNames {
  /** Nearest first. */
  readonly nodes: readonly KnownNode[];
  readonly isInLoop: boolean;
  readonly sample: Sample;
  readonly functions: readonly KnownFunction[];
}

/** The suggestions at a position of a text. @param isBare whether the text is an expression without braces */
export function completionsAt(
  text: string,
  position: number,
  { isBare, names }: { readonly isBare: boolean; readonly names: ExpressionNames },
): Completions | null {
  const start = isBare ? 0 : expressionStart(text, position);
  if (start === null) return null;
  const before = text.slice(start, position);
  const filter = /\|\s*(\w*)$/.exec(before);
  if (filter !== null) return { from: position - (filter[1] ?? '').length, options: functionOptions(names) };
  const [path = ''] = /[\w.[\]'"]*$/.exec(before) ?? [];
  const [word = ''] = /\w*$/.exec(path) ?? [];
  const from = position - word.length;
  const parent = path.slice(0, path.length - word.length);
  if (parent === '') return isLiteral(before, word) ? null : { from, options: rootOptions(names) };
  if (!parent.endsWith('.')) return null;
  const options = memberOptions(parent.slice(0, -1), names);
  return options.length === 0 ? null : { from, options };
}

/** Where the expression begins that contains the position; null if the position is in text. */
function expressionStart(text: string, position: number): number | null {
  const open = text.lastIndexOf('{{', position - 1);
  if (open === -1 || open + 2 > position) return null;
  return text.slice(open, position).includes('}}') ? null : open + 2;
}

/** Whether a word is a number, or the beginning of a text in quotes. */
function isLiteral(before: string, word: string): boolean {
  const quotes = before.slice(0, before.length - word.length).match(/['"]/g)?.length ?? 0;
  return /^\d/.test(word) || quotes % 2 === 1;
}

function rootOptions({ nodes, isInLoop, sample }: ExpressionNames): readonly CodeCompletion[] {
  const names: readonly CodeCompletion[] = [
    { label: 'trigger', kind: 'name', detail: 'the event that started the run' },
    ...(isInLoop ? [{ label: 'loop', kind: 'name' as const, detail: 'the current item' }] : []),
    { label: 'vars', kind: 'name', detail: 'variables' },
    { label: 'run', kind: 'name', detail: 'this run' },
  ];
  const readable = nodes.map(({ id, label }): CodeCompletion => {
    const detail = Object.hasOwn(sample, id) ? shortValue(sample[id]) : label === id ? 'no data yet' : label;
    return { label: id, kind: 'node', detail };
  });
  return [...readable, ...names];
}

const fixedMembers: Readonly<Record<string, readonly string[]>> = {
  trigger: ['payload', 'text', 'content_type'],
  loop: ['item', 'index', 'total', 'outer'],
  run: ['id', 'started_at', 'workflow'],
};

function memberOptions(parent: string, { nodes, sample }: ExpressionNames): readonly CodeCompletion[] {
  const path = pathOf(parent.replace(/^nodes\./, ''));
  const [root = '', ...rest] = path;
  const value = valueAt(sample, path);
  const keys = keyOptions(value);
  if (rest.length > 0) return keys;
  const known = nodes.find(({ id }) => id === root);
  const ports = known?.ports.map(({ name, type, description }): CodeCompletion => {
    const found = valueAt(sample, [root, name]);
    return { label: name, kind: 'port', detail: found === undefined ? type : shortValue(found), info: description };
  });
  const fixed = fixedMembers[root]?.map((label): CodeCompletion => {
    const found = valueAt(sample, [root, label]);
    return { label, kind: 'key', ...(found !== undefined && { detail: shortValue(found) }) };
  });
  const shown = [...(ports ?? []), ...(fixed ?? [])];
  const names = new Set(shown.map(({ label }) => label));
  return [...shown, ...keys.filter(({ label }) => !names.has(label))];
}

/** More keys than a person looks through; typing finds the others by name in the data tree. */
const maxKeys = 200;

function keyOptions(value: unknown): readonly CodeCompletion[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.length === 0 ? [] : [{ label: '0', apply: '[0]', kind: 'key', detail: typeName(value[0]) }];
  return Object.entries(value)
    .slice(0, maxKeys)
    .map(([label, item]) => {
      const isPlain = /^[A-Za-z_]\w*$/.test(label);
      return { label, kind: 'key', detail: shortValue(item), ...(!isPlain && { apply: `[${JSON.stringify(label)}]` }) };
    });
}

function functionOptions({ functions }: ExpressionNames): readonly CodeCompletion[] {
  return functions.map(({ name, signature, description }) => {
    return { label: name, kind: 'function', detail: signature, info: description };
  });
}

/** The keys of a path: `a.b[0]['c d']`. */
function pathOf(text: string): readonly string[] {
  return [...text.matchAll(/\[(?:(\d+)|'([^']*)'|"([^"]*)")\]|(\w+)/g)].map(
    ([, index, single, double, name]) => index ?? single ?? double ?? name ?? '',
  );
}

/** The value at a path; undefined if there is none. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
    return (inner as Readonly<Record<string, unknown>>)[key];
  }, value);
}
