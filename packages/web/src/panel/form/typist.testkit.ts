import { expect } from 'vitest';
import { Random } from '../../state/draft/random-edits.testkit.ts';
import type { FieldEvent } from '../../state/fields/field-draft.ts';
import { keyOf } from '../../state/fields/field-drafts.ts';
import { asList } from '../formats/values.ts';
import { isMeantBy, isSame, ofOthers, type Texts, textsOf } from './meanings.testkit.ts';
import { type SeenField, TypingPage } from './typing.testkit.ts';
import { isOf, Wishes } from './wishes.testkit.ts';

const keys = ['{', '{', '}', '}', '"', '[', ']', '1', 'x', ' ', '.', ':', 'GET', '5m', 'trigger.payload', '-'];
const broken = ['{"a": {{ b }}}', '{{ a', '{{ 1 + }}', '{', '[1,', '"text', 'PU', '1.5.', '1h 5'];
const expressions = ['{{ trigger.payload }}', ' {{ trigger.payload }}\n', '{{ a.output.items }}'];

/**
 * A person at the editor who does things at random, and remembers what must be shown and stored. Somebody else changes
 * the same nodes.
 */
export class Typist {
  readonly page = new TypingPage();
  readonly done: string[] = [];
  readonly #wishes = new Wishes(this.page);
  readonly #random: Random;
  /** The fields that are marked, with the text that must stay in them. */
  readonly #marked = new Map<string, string>();
  /** What was stored of each marked field when it was last not marked. */
  readonly #stored = new Map<string, unknown>();
  /** What somebody else stored in a field in which something is typed: it stays until this person decides. */
  readonly #theirs = new Map<string, unknown>();
  #path = 'body';
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
      ...[
        this.#focus,
        this.#focus,
        this.#focus,
        this.#focus,
        this.#focus,
        this.#type,
        this.#type,
        this.#paste,
        this.#paste,
        this.#complete,
      ],
      ...[this.#undoTyping, this.#toggle, this.#blur, this.#pause, this.#choose, this.#choose, this.#choose],
      ...[this.#select, this.#reload, this.#reset, this.#undo, this.#redo, this.#toggleTwice],
      ...[this.#addItem, this.#addItem, this.#arrange, this.#other, this.#other, this.#discard],
    ];
    this.#findPath();
    const action = this.#of(actions);
    this.done.push(`${action.name} ${this.page.node} ${this.#path}`);
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
    return this.page.field(this.#path);
  }

  get #texts(): Texts {
    return textsOf(this.#path);
  }

  /** What is typed in may have been removed. */
  #findPath(): void {
    const shown = this.page.inputs();
    if (!shown.some(({ path }) => path === this.#path)) this.#path = this.#of(shown).path;
  }

  #focus(): void {
    this.#leave();
    this.#path = this.#of(this.page.inputs()).path;
  }

  /** Each character is a text of its own. An editor closes braces. */
  #type(): void {
    if (!this.#isTyped) return;
    const { mode } = this.#field;
    if (this.#texts.hasParts === true && mode === 'value') {
      const [text] = Object.keys(this.#texts.meanings ?? {});
      if (text !== undefined) this.#give(text);
      return;
    }
    const closes = this.#path === 'body' || this.#path === 'items';
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
    if (!this.#isTyped) return;
    const { mode } = this.#field;
    const { meanings = {}, isText = false, hasParts = false, takesExpression = false, choices } = this.#texts;
    const isParts = hasParts && mode === 'value';
    const isPlain = mode === 'value' || (!hasParts && choices === undefined);
    const braces = takesExpression && !isParts ? expressions : [];
    const invalid = (isPlain ? this.#texts.broken : undefined) ?? (isParts ? [] : broken);
    const text = this.#of([...(isPlain ? Object.keys(meanings) : []), ...braces, ...this.#some(invalid), '']);
    this.#give(text);
    if (invalid.includes(text) || (text === '' && this.#path === 'keep.last_n')) return;
    const { problem, value } = this.#field;
    expect(problem, text).toBeNull();
    const isExpression = braces.includes(text);
    const means =
      isText || (this.#path === 'body' && mode === 'expression') ? text : isExpression ? text.trim() : meanings[text];
    if (text !== '') expect(value, text).toEqual(isPlain && !isExpression && isText ? meanings[text] : means);
    else expect(value).toBeUndefined();
  }

  #complete(): void {
    if (!this.#isTyped || this.#texts.takesExpression !== true) return;
    if (this.#texts.hasParts === true && this.#field.mode === 'value') return;
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
    this.#findPath();
    if (this.#texts.takesExpression === true && this.#path !== 'prompt') this.#handle({ kind: 'toggled' });
    this.#earlier = [];
  }

  #toggleTwice(): void {
    // What is changed there becomes a conflict.
    if (this.#theirs.has(`${this.page.node} ${keyOf(this.#path)}`)) return;
    this.#toggle();
    this.#look();
    this.#findPath();
    const { mode, text, value, problem } = this.#field;
    this.#toggle();
    this.#look();
    this.#toggle();
    // A text that is stored may be written in another way after the field was left.
    expect(this.#field).toMatchObject(problem === null ? { mode, value } : { mode, text });
  }

  #choose(): void {
    const { mode } = this.#field;
    const { choices } = this.#texts;
    if (choices === undefined || mode !== 'value') return;
    const value = this.#of(choices);
    this.#handle({ kind: 'chosen', value });
    expect(this.#field).toMatchObject({ mode: 'value', value });
    expect(
      this.page.inputs().filter((input) => this.#isInside(input.path) && this.page.field(input.path).problem !== null),
    ).toEqual([]);
  }

  #addItem(): void {
    const { item } = this.#texts;
    if (item === undefined || this.#field.mode !== 'value') return;
    this.page.addItem(this.#path, item);
    this.#wishes.note(this.#path);
  }

  #discard(): void {
    this.#wishes.discard(keyOf(this.#path));
    this.page.discard(this.#path);
  }

  /** An item is moved to the end, or removed. */
  #arrange(): void {
    const count = asList(this.#field.value).length;
    if (this.#texts.item === undefined || this.#field.mode !== 'value' || count === 0) return;
    const [first = 0, ...others] = Array.from({ length: count }, (_, index) => index);
    this.page.arrange(this.#path, this.#random.isOne(2) ? others : [...others, first]);
    this.#forgetInside();
    this.#wishes.note(this.#path);
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
    if (/^rules\[|^keep\./.test(this.#path)) return;
    this.#handle({ kind: 'reset' });
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
    this.#theirs.clear();
    this.#wishes.forgetUndone();
    await this.#settle();
  }

  /** Somebody else changes the field that is typed in, or another one. */
  async #other(): Promise<void> {
    const { node } = this.page;
    const key = this.#random.isOne(2) ? keyOf(this.#path) : this.#of(Object.keys(ofOthers));
    const value = this.#of(ofOthers[key] ?? []);
    if (!(key in ofOthers) || isSame(value, this.page.stored(node, key))) return;
    const { value: mine } = this.page.field(key);
    const isMine = !isSame(mine, this.page.stored(node, key)) && !this.#isMarked(`${node} ${key}`);
    const isTyping = isMine || [...this.#marked.keys()].some((name) => isOf(name, `${node} ${key}`));
    if (!isMine) this.#wishes.forgetValue(`${node} ${key}`);
    this.page.other(node, key, value);
    for (const name of this.#stored.keys()) if (isOf(name, `${node} ${key}`)) this.#stored.delete(name);
    if (isTyping) this.#theirs.set(`${node} ${key}`, value);
    this.#earlier = [];
    this.#leave();
    const conflicts = await this.#settle();
    if (isMine && !isSame(mine, value))
      expect(conflicts, `${node} ${key}`).toContainEqual({ name: `${node} ${key}`, mine, theirs: value });
  }

  #leave(): void {
    this.page.blur(this.#path);
    this.#earlier = [];
    this.#look();
  }

  #give(text: string, isNew = true): void {
    if (isNew) this.#earlier.push(this.#field.text);
    this.#handle({ kind: 'typed', text });
    expect(this.#field.text).toBe(text);
  }

  #handle(event: FieldEvent): void {
    const path = this.#path;
    this.page.handle(path, event);
    if (event.kind !== 'typed') this.#forgetInside();
    this.#wishes.note(path);
  }

  /** Whether a text can be given to the input: it shows one. */
  get #isTyped(): boolean {
    const { choices, hasParts = false, meanings } = this.#texts;
    if (this.#field.mode === 'expression') return true;
    return choices === undefined && !(hasParts && meanings === undefined);
  }

  #isInside(path: string): boolean {
    return path !== this.#path && isOf(path, this.#path);
  }

  #isMarked(name: string): boolean {
    return this.#marked.has(name);
  }

  /** The parts of the field have other places, or other values. */
  #forgetInside(): void {
    this.#wishes.forgetInside(this.#path);
    const here = `${this.page.node} ${this.#path}`;
    for (const known of [this.#marked, this.#stored])
      for (const name of known.keys()) if (name !== here && isOf(name, here)) known.delete(name);
  }

  /** What somebody else stored in a field is shown there, and may be typed over, unless the field shows another text. */
  #forgetTheirs(name: string): void {
    if ([...this.#marked.keys()].every((marked) => !isOf(marked, name))) this.#theirs.delete(name);
  }

  /** Everything is saved, and the person decides about the conflicts. Returns them. */
  async #settle() {
    await this.#save();
    const decided = this.page.conflicts.map((conflict) => {
      const contested = contestedIn(conflict);
      expect(contested, 'a conflict names its values').not.toEqual([]);
      return { id: conflict.id, contested, isMine: this.#random.isOne(2) };
    });
    for (const { id, contested, isMine } of decided) {
      this.page.decide(id, isMine);
      await this.#save(contested.map(({ name, mine, theirs }) => [name, isMine ? mine : theirs]));
    }
    expect(this.page.conflicts).toEqual([]);
    for (const name of this.#theirs.keys()) this.#forgetTheirs(name);
    return decided.flatMap(({ contested }) => contested);
  }

  /** @param chosen what must be stored then */
  async #save(chosen: readonly (readonly [name: string, value: unknown])[] = []): Promise<void> {
    await this.page.pass(2000);
    expect([this.page.save, this.page.isWaiting]).toEqual(['saved', false]);
    for (const [name, value] of chosen) {
      expect(this.#storedAs(name), `${name} as decided`).toEqual(value);
      this.#theirs.set(name, value);
      this.#wishes.decide(name, value);
      for (const known of this.#stored.keys()) if (isOf(known, name)) this.#stored.delete(known);
    }
    this.#look();
  }

  #storedAs(name: string): unknown {
    const [node = '', key = ''] = name.split(' ');
    return this.page.stored(node, key);
  }

  /** Compares what is shown, what is stored and what the header says. */
  #look(): void {
    const { page } = this;
    const isSaved = page.save === 'saved' && !page.isWaiting;
    const seen = page.seen();
    this.#wishes.check(seen, isSaved);
    const isHeld = ({ path }: SeenField): boolean => {
      const outer = seen.find((field) => field.path === keyOf(path));
      return outer !== undefined && outer.problem !== null;
    };
    for (const name of this.#marked.keys()) {
      const [node, path = ''] = name.split(' ');
      if (node === page.node && !seen.some((field) => field.path === path)) this.#marked.delete(name);
    }
    for (const field of seen) {
      const { name, path, text, problem, value, stored } = field;
      if (problem === null) {
        this.#marked.delete(name);
        this.#stored.delete(name);
        if (isSaved && !isHeld(field)) expect(value, name).toEqual(stored);
        expect(isMeantBy(field), `${name} shows ${text} for ${JSON.stringify(value)}`).toBe(true);
      } else {
        if (this.#path !== path && this.#marked.has(name) && !isOf(this.#path, path))
          expect(text, name).toBe(this.#marked.get(name));
        this.#marked.set(name, text);
        if (isSaved && this.#stored.has(name)) expect(stored, name).toEqual(this.#stored.get(name));
        if (isSaved) this.#stored.set(name, stored);
      }
    }
    if (isSaved)
      for (const [name, value] of this.#theirs) expect(this.#storedAs(name), `${name} of somebody else`).toEqual(value);
    if (isSaved) for (const { name, value, stored } of seen) if (isSame(value, stored)) this.#forgetTheirs(name);
    for (const { name } of page.conflicts.flatMap(contestedIn)) this.#forgetTheirs(name);
    // The header leads to a field around a part that is not there any more.
    const placeOf = (name: string): string => {
      const [node, path = ''] = name.split(' ');
      return node !== page.node || seen.some((field) => field.path === path) ? name : `${node} ${keyOf(path)}`;
    };
    expect([...new Set(page.unsaved.map(placeOf))].toSorted()).toEqual([...this.#marked.keys()].toSorted());
  }

  #some<T>(list: readonly T[]): readonly T[] {
    return list.length === 0 ? [] : [this.#of(list)];
  }

  #of<T>(list: readonly T[]): T {
    return list[this.#random.below(list.length)] as T;
  }
}

/** A key beside the extra config that is not set is null. */
function contestedIn({ values = [] }: TypingPage['conflicts'][number]) {
  return values.map(({ owner, path, mine, theirs }) => ({
    ...{ name: `${owner} ${path.split('.').at(-1)}`, mine: mine ?? undefined, theirs: theirs ?? undefined },
  }));
}
