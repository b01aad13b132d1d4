import { isSameJson, type Json } from '@millrace/core/editing';
import { beforeAll, expect, test } from 'vitest';
import { Random } from '../../state/draft/random-edits.testkit.ts';
import { loadSyntaxCheck } from './rejection.ts';
import { fields, type SeenField, TypingPage } from './typing.testkit.ts';

/** `npm run test:typing` types 5,000 sequences. */
const sequences = Number(import.meta.env.MILLRACE_TYPING_SEQUENCES ?? 60);
const firstSeed = Number(import.meta.env.MILLRACE_TYPING_SEED ?? 1);
const steps = 30;

const keys = ['{', '{', '}', '}', '"', '[', ']', '1', 'x', ' ', '.', ':', 'GET', '5m', 'trigger.payload', '-'];
const broken = ['{"a": {{ b }}}', '{{ a', '{{ 1 + }}', '{', '[1,', '"text', 'PU', '1.5.', '1h 5'];

/** Texts and what they mean, for the fields that take them. */
const meanings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  body: { '{"a": 1}': { a: 1 }, '{}': {}, ' 7 ': 7, '[1, {"b": "{{ loop.item }}"}]': [1, { b: '{{ loop.item }}' }] },
  items: { '[1, {"b": "{{ loop.item }}"}]': [1, { b: '{{ loop.item }}' }], '[]': [] },
  url: { 'http://x/{{ trigger.payload.id }}': 'http://x/{{ trigger.payload.id }}', hello: 'hello' },
  status: { '7': 7, ' 8 ': 8 },
  wait: { '5m': 300, '7': 7, '1h 30m': 5400 },
  method: {},
  accept: {},
  headers: { '[{"name":"a","text":"1"},{"name":"","text":""}]': { a: '1' } },
  names: { '["a","","b"]': ['a', 'b'] },
  prompt: { 'Hello {{ trigger.payload.name }}': 'Hello {{ trigger.payload.name }}' },
};
const expressions = ['{{ trigger.payload }}', ' {{ trigger.payload }}\n', '{{ a.output.items }}'];
const brokenRows: Readonly<Record<string, string>> = {
  headers: '[{"name":"","text":"1"}]',
  names: '["a",""]',
};
const choices: Readonly<Record<string, readonly unknown[]>> = {
  method: [undefined, 'GET', 'PUT'],
  accept: [undefined, true, false],
};

/** A person at the editor who does things at random, and remembers what must be shown and stored. */
class Person {
  readonly page = new TypingPage();
  readonly done: string[] = [];
  readonly #random: Random;
  /** The fields that are marked, with the text that must stay in them. */
  readonly #marked = new Map<string, string>();
  /** What was stored of each field when it was last not marked. */
  readonly #stored = new Map<string, unknown>();
  #key = 'body';
  #earlier: string[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async start(): Promise<void> {
    await this.page.open();
    this.#look();
  }

  async step(): Promise<void> {
    const actions = [
      ...[this.#focus, this.#focus, this.#type, this.#type, this.#type, this.#paste, this.#paste, this.#complete],
      ...[
        this.#undoTyping,
        this.#toggle,
        this.#blur,
        this.#pause,
        this.#choose,
        this.#select,
        this.#reload,
        this.#reset,
      ],
      ...[this.#undo, this.#redo, this.#toggleTwice],
    ];
    const action = this.#of(actions);
    this.done.push(`${action.name} ${this.page.node} ${this.#key}`);
    await action.call(this);
    this.#look();
  }

  async end(): Promise<void> {
    for (const node of ['a', 'b']) {
      this.#leave();
      this.page.select(node);
      await this.#settle();
    }
  }

  get #field(): SeenField {
    return this.page.field(this.#key);
  }

  #focus(): void {
    this.#leave();
    this.#key = this.#of(fields).key;
  }

  /** Each character is a text of its own. An editor closes braces. */
  #type(): void {
    if (this.#isParts) this.#give(this.#of(Object.keys(meanings[this.#key] ?? {})));
    if (this.#isParts || this.#isChoice) return;
    const closes = this.#key === 'body' || this.#key === 'items';
    for (const key of Array.from({ length: 1 + this.#random.below(6) }, () => this.#of(keys))) {
      for (const character of key) {
        const { text } = this.#field;
        const isClosed = closes && '{['.includes(character);
        this.#give(text + character + (isClosed ? (character === '{' ? '}' : ']') : ''));
      }
    }
  }

  /** In place of everything, so that what it means is known. */
  #paste(): void {
    if (this.#isChoice) return;
    const { mode } = this.#field;
    const plain = mode === 'value' || this.#sharesText ? Object.keys(meanings[this.#key] ?? {}) : [];
    const braces = this.#isParts ? [] : expressions;
    const text = this.#of([...plain, ...braces, this.#isParts ? (brokenRows[this.#key] ?? '') : this.#of(broken), '']);
    this.#give(text);
    const known = meanings[this.#key]?.[text];
    const isText = this.#key === 'url' || this.#key === 'prompt' || (this.#key === 'body' && mode === 'expression');
    const meant = braces.includes(text) || isText ? (isText ? text : text.trim()) : known;
    if (text === '' || braces.includes(text) || (known !== undefined && !isText)) {
      const { problem, value } = this.#field;
      expect(problem, text).toBeNull();
      expect(value, text).toEqual(text === '' ? undefined : meant);
    }
  }

  #complete(): void {
    if (this.#isParts || this.#isChoice) return;
    this.#give('{{ tri');
    this.#give('{{ trigger.payload');
    this.#give('{{ trigger.payload }}');
    expect(this.#field).toMatchObject({ problem: null, value: '{{ trigger.payload }}' });
  }

  #undoTyping(): void {
    const before = this.#earlier.pop();
    if (before !== undefined) this.#give(before, false);
  }

  #toggle(): void {
    this.#leave();
    if (this.#key !== 'prompt') this.page.handle(this.#key, { kind: 'toggled' });
    this.#earlier = [];
  }

  #toggleTwice(): void {
    this.#toggle();
    this.#look();
    const { mode, text, value, problem } = this.#field;
    this.#toggle();
    this.#look();
    this.#toggle();
    // A text that is stored may be written in another way after the field was left.
    expect(this.#field).toMatchObject(problem === null ? { mode, value } : { mode, text });
  }

  #choose(): void {
    const { mode } = this.#field;
    const values = choices[this.#key];
    if (values !== undefined && mode === 'value') this.page.choose(this.#key, this.#of(values));
  }

  #blur(): void {
    this.#leave();
  }

  async #pause(): Promise<void> {
    await this.#settle();
  }

  #select(): void {
    this.#leave();
    this.page.select(this.#of(['a', 'b']));
  }

  async #reload(): Promise<void> {
    await this.page.reload();
    this.#earlier = [];
  }

  #reset(): void {
    this.page.handle(this.#key, { kind: 'reset' });
    this.#earlier = [];
    expect(this.#field).toMatchObject({ text: '', problem: null, value: undefined });
  }

  async #undo(): Promise<void> {
    this.#leave();
    this.page.undo();
    await this.#changedElsewhere();
  }

  async #redo(): Promise<void> {
    this.#leave();
    this.page.redo();
    await this.#changedElsewhere();
  }

  async #changedElsewhere(): Promise<void> {
    this.#earlier = [];
    this.#stored.clear();
    await this.#settle();
  }

  #leave(): void {
    this.page.blur(this.#key);
    this.#earlier = [];
    this.#look();
  }

  #give(text: string, isNew = true): void {
    if (isNew) this.#earlier.push(this.#field.text);
    this.page.handle(this.#key, { kind: 'typed', text });
    expect(this.#field.text).toBe(text);
  }

  get #isParts(): boolean {
    return brokenRows[this.#key] !== undefined && this.#field.mode === 'value';
  }

  get #isChoice(): boolean {
    return choices[this.#key] !== undefined && this.#field.mode === 'value';
  }

  get #sharesText(): boolean {
    return brokenRows[this.#key] === undefined && choices[this.#key] === undefined;
  }

  async #settle(): Promise<void> {
    await this.page.pass(2000);
    expect([this.page.save, this.page.isWaiting]).toEqual(['saved', false]);
    this.#look();
  }

  /** Compares what is shown, what is stored and what the header says. */
  #look(): void {
    const { page } = this;
    const isSaved = page.save === 'saved' && !page.isWaiting;
    for (const { key } of fields) {
      const field = page.field(key);
      const { name, text, problem, value, stored } = field;
      if (problem === null) {
        this.#marked.delete(name);
        if (isSaved) expect(value, name).toEqual(stored);
        if (!page.isWaiting) this.#stored.set(name, stored);
        expect(isMeantBy(field), `${name} shows ${text} for ${JSON.stringify(value)}`).toBe(true);
      } else {
        if (this.#key !== key && this.#marked.has(name)) expect(text, name).toBe(this.#marked.get(name));
        this.#marked.set(name, text);
        if (isSaved && this.#stored.has(name)) expect(stored, name).toEqual(this.#stored.get(name));
      }
    }
    expect(page.unsaved.toSorted()).toEqual([...this.#marked.keys()].toSorted());
  }

  #of<T>(list: readonly T[]): T {
    return list[this.#random.below(list.length)] as T;
  }
}

/** Whether a value is one of those that a text could mean. */
function isMeantBy({ name, mode, text, value }: SeenField): boolean {
  const key = name.split(' ')[1] ?? '';
  const known = meanings[key] ?? {};
  const trimmed = text.trim();
  const candidates: unknown[] = [text, trimmed, known[text], jsonOf(text), trimmed === '' ? undefined : text];
  if (key === 'wait') candidates.push(secondsOf(trimmed));
  if (key === 'status' && trimmed !== '') candidates.push(Number(trimmed));
  if (key === 'headers' && mode === 'value')
    candidates.push(Object.fromEntries(rowsOf(text).map((row) => [row.name, row.text])));
  if (key === 'names' && mode === 'value')
    candidates.push((jsonOf(text) as string[] | undefined)?.filter((row) => row !== ''));
  return candidates.some((one) =>
    one === undefined || value === undefined ? one === value : isSameJson(one as Json, value as Json),
  );
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

beforeAll(loadSyntaxCheck);

test('what is typed, pasted, completed, undone and toggled is stored, or marked in its field and in the header', async () => {
  for (let index = 0; index < sequences; index += 1) {
    const seed = firstSeed + index;
    const person = new Person(seed);
    try {
      await person.start();
      for (let step = 0; step < steps; step += 1) await person.step();
      await person.end();
    } catch (error) {
      throw new Error(`MILLRACE_TYPING_SEED=${seed}: ${person.done.slice(-12).join(', ')}`, { cause: error });
    }
  }
});
