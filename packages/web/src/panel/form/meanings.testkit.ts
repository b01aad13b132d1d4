import { isSameJson, type Json } from '@millrace/core/editing';
import type { SeenField } from './typing.testkit.ts';

/** The texts of an input, and what else can be done with it. */
export interface Texts {
  /** What each text means, while the input shows a value. */
  readonly meanings?: Readonly<Record<string, unknown>>;
  /** Whether any text is a value: a text means itself. */
  readonly isText?: boolean;
  /** Whether an expression can be typed into it, or in place of it. */
  readonly takesExpression?: boolean;
  /** Texts that are no value. Any other text may be typed as well, unless the text consists of parts. */
  readonly broken?: readonly string[];
  readonly hasParts?: boolean;
  /** Values that are chosen, not typed. */
  readonly choices?: readonly unknown[];
  /** What a new item of a list is. */
  readonly item?: unknown;
}

const expressible = { takesExpression: true } as const;
const whole = { '7': 7, ' 8 ': 8 };

/** By the path of an input, without the places in lists. */
const all: Readonly<Record<string, Texts>> = {
  label: { isText: true, meanings: { ' Send it ': 'Send it', 'Über 👍🏽': 'Über 👍🏽' }, broken: ['x'.repeat(201)] },
  llm_credential_id: { choices: [undefined, 3, 4] },
  body: {
    ...expressible,
    meanings: {
      '{"a": 1}': { a: 1 },
      '{}': {},
      ' 7 ': 7,
      '[1, {"b": "{{ loop.item }}"}]': [1, { b: '{{ loop.item }}' }],
    },
  },
  items: { ...expressible, meanings: { '[1, {"b": "{{ loop.item }}"}]': [1, { b: '{{ loop.item }}' }], '[]': [] } },
  url: {
    ...expressible,
    isText: true,
    meanings: { 'http://x/{{ trigger.payload.id }}': 'http://x/{{ trigger.payload.id }}', hello: 'hello' },
  },
  status: { ...expressible, meanings: whole },
  wait: { ...expressible, meanings: { '5m': 300, '7': 7, '1h 30m': 5400 } },
  method: { ...expressible, choices: [undefined, 'GET', 'PUT'] },
  accept: { ...expressible, choices: [undefined, true, false] },
  headers: {
    ...expressible,
    hasParts: true,
    meanings: { '[{"name":"a","text":"1"},{"name":"","text":""}]': { a: '1' } },
    broken: ['[{"name":"","text":"1"}]'],
  },
  names: { ...expressible, hasParts: true, meanings: { '["a","","b"]': ['a', 'b'] }, broken: ['["a",""]'] },
  prompt: { isText: true, takesExpression: true, meanings: { 'Hello {{ loop.item }}': 'Hello {{ loop.item }}' } },
  tags: { ...expressible, choices: [undefined, ['a'], ['a', 'b']] },
  keep: { ...expressible, choices: [undefined, 'all', 'none', { last_n: 1 }] },
  'keep.last_n': { meanings: whole },
  rules: { ...expressible, hasParts: true, item: { operator: 'equals' } },
  'rules[].id': { isText: true, meanings: { urgent: 'urgent' } },
  'rules[].field': { isText: true, meanings: { 'trigger.payload.kind': 'trigger.payload.kind' } },
  'rules[].operator': { choices: ['equals', 'gt', 'exists'] },
  'rules[].value': { meanings: { invoice: 'invoice' } },
  limit: { ...expressible, hasParts: true },
  'limit.size': { ...expressible, meanings: whole },
  'limit.unit': { ...expressible, choices: [undefined, 'kB', 'MB'] },
  columns: { ...expressible, hasParts: true, item: {} },
  'columns[].name': { ...expressible, isText: true, meanings: { wide: 'wide' } },
  'columns[].width': { ...expressible, meanings: whole },
  auth: { ...expressible, choices: [undefined, { by: 'key' }, { by: 'login' }] },
  'auth.token': { ...expressible, isText: true, meanings: { secret: 'secret' } },
  'auth.port': { ...expressible, meanings: whole },
};

/** What somebody else stores in a field. */
export const ofOthers: Readonly<Record<string, readonly unknown[]>> = {
  label: ['Theirs', undefined],
  llm_credential_id: [5, undefined],
  body: [{ theirs: true }, '{{ theirs.output }}', 'theirs'],
  items: [['theirs'], '{{ theirs.output }}'],
  url: ['http://theirs/', undefined],
  status: [418, '{{ theirs.status }}'],
  keep: ['none', { last_n: 9 }, undefined],
  headers: [{ theirs: '1' }],
  rules: [[{ id: 'theirs', field: 'a.b', operator: 'exists' }], undefined],
  columns: [[{ name: 'theirs' }], undefined],
  auth: [{ by: 'login', port: 9 }, { by: 'key', token: 'theirs' }, undefined],
  limit: [{ size: 9 }],
};

/** What is known about the texts of an input. */
export function textsOf(path: string): Texts {
  const found = all[path.replace(/\[\d+\]/g, '[]')];
  if (found === undefined) throw new Error(`Nothing is known about ${path}.`);
  return found;
}

/** Whether a value is one of those that the text of a field could mean. */
export function isMeantBy({ path, mode, text, value }: SeenField): boolean {
  const { meanings = {} } = textsOf(path);
  const trimmed = text.trim();
  const candidates: unknown[] = [text, trimmed, meanings[text], jsonOf(text), trimmed === '' ? undefined : text];
  if (path === 'wait') candidates.push(secondsOf(trimmed));
  if (trimmed !== '') candidates.push(Number(trimmed));
  if (path === 'headers' && mode === 'value')
    candidates.push(Object.fromEntries(rowsOf(text).map((row) => [row.name, row.text])));
  if (path === 'names' && mode === 'value')
    candidates.push((jsonOf(text) as string[] | undefined)?.filter((row) => row !== ''));
  return candidates.some((one) => isSame(one, value));
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameJson(one as Json, other as Json);
}

function rowsOf(text: string): readonly { readonly name: string; readonly text: string }[] {
  return ((jsonOf(text) ?? []) as { name: string; text: string }[]).filter(({ name }) => name !== '');
}

function secondsOf(text: string): number {
  const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };
  return [...text.matchAll(/([\d.]+)\s*([a-z]*)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
