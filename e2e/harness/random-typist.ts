import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Editor } from './editor.ts';
import { eventually } from './eventually.ts';
import { randomFrom } from './random-numbers.ts';

/** A node as the service has stored it. */
type StoredNode = Awaited<ReturnType<Editor['stored']>>['nodes'][number];

interface Place {
  readonly node: string;
  /** The key of the field. */
  readonly key: string;
  /** The name of the input element, if the field has several. */
  readonly box?: string;
  /** Texts that mean a value. */
  readonly values: readonly string[];
  readonly hasToggle: boolean;
  readonly storedIn: (node: StoredNode) => unknown;
}

const extra = (node: StoredNode) => node.config.extra_config as Readonly<Record<string, unknown>>;
const ruleOf = (node: StoredNode) => (extra(node).rules as readonly Readonly<Record<string, unknown>>[])[0] ?? {};

function inExtra(node: string, key: string, values: readonly string[]): Place {
  return { node, key, values, hasToggle: true, storedIn: (found) => extra(found)[key] };
}

/** The fields that are typed into. */
const places: readonly Place[] = [
  inExtra('answer', 'body', ['{"a": [1, true]}', '[]', '{{ trigger.payload }}', '"text"']),
  inExtra('answer', 'status', ['201', '{{ trigger.payload.status }}']),
  inExtra('each', 'items', ['[1, {"a": 2}]', '{{ trigger.payload.items }}']),
  inExtra('load', 'url', ['http://127.0.0.1/', 'http://127.0.0.1/{{ trigger.payload.id }}']),
  {
    ...{ node: 'load', key: 'label', values: ['Load it', ' Über 👍🏽 '], hasToggle: false },
    storedIn: ({ label }) => label ?? undefined,
  },
  {
    ...{ node: 'route', key: 'rules', box: 'Field of rule 1', hasToggle: false },
    ...{ values: ['trigger.payload.kind', 'trigger.payload.a.b'], storedIn: (node) => ruleOf(node).field },
  },
];

/** The lists from which something is chosen: the text of an option, and what is stored then. */
const lists = [
  {
    ...{ node: 'load', key: 'credential_id', list: 'Credential', options: ['None', 'Typed key'] },
    storedIn: (node: StoredNode) => (node.config.credential_id === null ? 'None' : 'Typed key'),
  },
  {
    ...{ node: 'route', key: 'rules', list: 'Operator of rule 1', options: ['is', 'contains', 'starts with'] },
    storedIn: (node: StoredNode) =>
      ({ equals: 'is', contains: 'contains', starts_with: 'starts with' })[String(ruleOf(node).operator)],
  },
] as const;

const pieces = ['{', '{{', '}', ' trigger.payload ', '}}', '[', '1', ']', '"a": 2', 'x', ',', ' '];
const broken = ['{"a": ', '{{ trigger.', '[1, 2', '{"a": {{ b }}}', '1x'];

/** An input element or an editor. The types of the browser are not known here. */
interface TextElement {
  readonly value?: string;
  querySelector(selector: string): object | null;
  querySelectorAll(selector: string): Iterable<{ readonly textContent: string }>;
}

/** A person who types at random, and compares what is shown, what is stored and what the header says. */
export class RandomTypist {
  readonly done: string[] = [];
  readonly #page: Page;
  readonly #editor: Editor;
  readonly #random: () => number;
  #place = places[0] as Place;

  constructor(page: Page, editor: Editor, seed: number) {
    this.#page = page;
    this.#editor = editor;
    this.#random = randomFrom(seed);
  }

  /** Some actions in some fields, and a look at every field in the end. */
  async sequence(actions: number): Promise<void> {
    await this.#focus();
    const all = [
      this.#type,
      this.#type,
      this.#paste,
      this.#paste,
      this.#replace,
      this.#undo,
      this.#toggle,
      this.#choose,
    ];
    for (let count = 0; count < actions; count += 1) {
      const action = this.#of([...all, this.#leave, this.#focus, this.#reload]);
      this.done.push(`${action.name} ${this.#place.key}`);
      await action.call(this);
    }
    await this.#compare();
  }

  async #focus(): Promise<void> {
    this.#place = this.#of(places);
    await this.#select(this.#place.node);
    await this.#text.click();
  }

  async #type(): Promise<void> {
    for (let count = 0; count < 3; count += 1) await this.#page.keyboard.type(this.#of(pieces));
  }

  async #paste(): Promise<void> {
    await this.#insert(this.#of([...this.#place.values, ...broken]));
  }

  async #insert(text: string): Promise<void> {
    await this.#page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await this.#page.keyboard.press('Control+v');
  }

  /** In place of everything: what it means is stored, and nothing is marked. */
  async #replace(): Promise<void> {
    const text = this.#of(this.#place.values);
    await this.#text.click();
    await this.#page.keyboard.press('Control+a');
    await this.#insert(text);
    const place = this.#place;
    const meant = this.#isText(text) ? [text] : meaningsOf(text);
    await eventually(() => this.#storedOf(place)).toSatisfy((stored) =>
      meant.some((one) => isDeepStrictEqual(one, stored)),
    );
    await eventually(() => this.#marks(place)).toBe(0);
  }

  /** One of several options: it is stored, unless another part of its field cannot be. */
  async #choose(): Promise<void> {
    const { node, key, list, options, storedIn } = this.#of(lists);
    await this.#leave();
    await this.#editor.card(node).click();
    const field = this.#page.locator(`[data-field="${key}"]`);
    const chosen = this.#of(options);
    await field.getByRole('combobox', { name: list }).selectOption({ label: chosen });
    const isMarked = async () => (await field.getByText(/^Not saved yet/).count()) > 0;
    await eventually(async () => storedIn(await this.#node(node)) === chosen || (await isMarked())).toBe(true);
    await this.#select(this.#place.node);
    await this.#text.click();
  }

  async #undo(): Promise<void> {
    await this.#text.click();
    await this.#page.keyboard.press('Control+z');
  }

  /** The text stays. */
  async #toggle(): Promise<void> {
    if (!this.#place.hasToggle) return;
    const before = await this.#shown(this.#place);
    const isBody = this.#place.key === 'body';
    const chosen = isBody ? this.#field(this.#place).locator('input:checked') : null;
    const button = isBody
      ? this.#field(this.#place).getByRole('radio', { checked: false })
      : this.#field(this.#place).getByRole('button', { name: /^Use an expression/ });
    await (chosen === null ? button.click() : button.check({ force: true }));
    // JSON that is left is written in lines, and a text that is no JSON is in quotes there.
    const kept = withoutSpaces(before);
    await eventually(async () => withoutSpaces(await this.#shown(this.#place))).toContain(isBody ? '' : kept);
    await this.#text.click();
  }

  async #leave(): Promise<void> {
    await this.#page.getByRole('heading', { level: 1 }).click();
  }

  async #reload(): Promise<void> {
    await this.#leave();
    await this.#settle();
    const before = await this.#shown(this.#place);
    const marks = await this.#marks(this.#place);
    await this.#page.reload();
    await this.#select(this.#place.node);
    await eventually(() => this.#marks(this.#place)).toBe(marks);
    if (marks > 0) expect(await this.#shown(this.#place)).toBe(before);
    await this.#text.click();
  }

  async #select(node: string): Promise<void> {
    await this.#editor.card(node).click();
    await this.#page.getByRole('complementary', { name: `Settings of ${node}` }).waitFor();
    await this.#text.waitFor();
  }

  #field({ key }: Place): Locator {
    return this.#page.locator(`[data-field="${key}"]`);
  }

  get #text(): Locator {
    return this.#textOf(this.#place);
  }

  #textOf(place: Place): Locator {
    const name = place.box === undefined ? {} : { name: place.box };
    return this.#field(place).getByRole('textbox', name).first();
  }

  #marks(place: Place): Promise<number> {
    return this.#field(place)
      .getByText(/^Not saved yet/)
      .count();
  }

  async #shown(place: Place): Promise<string> {
    return this.#textOf(place).evaluate((element: TextElement) => {
      if (element.value !== undefined) return element.value;
      if (element.querySelector('.cm-placeholder') !== null) return '';
      return [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n');
    });
  }

  async #storedOf({ node, storedIn }: Place): Promise<unknown> {
    return storedIn(await this.#node(node));
  }

  async #node(nodeId: string): Promise<StoredNode> {
    const { nodes } = await this.#editor.stored();
    const found = nodes.find(({ node_id: id }) => id === nodeId);
    if (found === undefined) throw new Error(`There is no node ${nodeId}.`);
    return found;
  }

  /** A text of the body that is text, or an expression. */
  #isText(text: string): boolean {
    return ['url', 'rules'].includes(this.#place.key) || text.startsWith('{{');
  }

  async #settle(): Promise<void> {
    await eventually(() => this.#page.getByText('Saving…', { exact: true }).count()).toBe(0);
  }

  async #compare(): Promise<void> {
    await this.#leave();
    let marked = 0;
    for (const place of places) {
      this.#place = place;
      await this.#select(place.node);
      await this.#settle();
      const marks = await this.#marks(place);
      const shown = await this.#shown(place);
      marked += marks;
      if (marks === 0) expect(meaningsOf(shown)).toContainEqual(await this.#storedOf(place));
    }
    const header = marked === 0 ? 'Saved' : `${marked} ${marked === 1 ? 'field' : 'fields'} not saved`;
    await this.#page.getByText(header, { exact: true }).first().waitFor();
  }

  #of<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }
}

/** What a text can mean: itself, or JSON. */
function meaningsOf(text: string): readonly unknown[] {
  if (text.trim() === '') return [undefined, text];
  try {
    return [text, text.trim(), JSON.parse(text)];
  } catch {
    return [text, text.trim()];
  }
}

function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '');
}
