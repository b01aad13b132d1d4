import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Editor } from './editor.ts';
import { eventually } from './eventually.ts';
import { randomFrom } from './random-numbers.ts';

/** A person who edits a graph in all ways, by mouse and by keyboard, in an order from a seed. */
export class UndoStorm {
  readonly #page: Page;
  readonly #editor: Editor;
  readonly #random: () => number;
  /** How often each kind of edit was made. */
  readonly made = new Map<string, number>();

  constructor(page: Page, editor: Editor, seed: number) {
    this.#page = page;
    this.#editor = editor;
    this.#random = randomFrom(seed);
  }

  async edit(): Promise<void> {
    const id = await this.#chooseCard();
    const edits = [this.#drag, this.#nudge, this.#nudge, this.#duplicate, this.#paste, this.#rename, this.#layOut];
    // A large graph takes long to edit, and shows nothing more than a small one.
    const isLarge = (await this.#count()) > 10;
    const one = id === null ? this.#add : isLarge ? this.#delete : this.#pick([...edits, this.#add, this.#delete]);
    await one.call(this, id ?? '');
    this.made.set(one.name, (this.made.get(one.name) ?? 0) + 1);
  }

  /** Takes back all edits, and returns how many there were. */
  undoAll(): Promise<number> {
    return this.#pressAll(/^Undo/, 'Control+z');
  }

  redoAll(): Promise<number> {
    return this.#pressAll(/^Redo/, 'Control+Shift+z');
  }

  async #pressAll(name: RegExp, keys: string): Promise<number> {
    const isOver = () => this.#page.getByRole('button', { name }).isDisabled();
    await this.#page.getByRole('heading', { level: 1 }).click();
    let count = 0;
    // Two entries for each of a hundred edits are more than any run makes.
    for (; !(await isOver()); count += 1) {
      expect(count).toBeLessThan(200);
      await this.#page.keyboard.press(keys);
    }
    return count;
  }

  async #add(): Promise<void> {
    await this.#changing(1, () => this.#editor.add(this.#pick(['template', 'wait', 'merge'])));
    await this.#page.getByRole('button', { name: 'Close', exact: true }).click();
  }

  async #drag(id: string): Promise<void> {
    await this.#changingPlace(id, () => this.#editor.move(id, this.#distance(), this.#distance()));
  }

  async #nudge(id: string): Promise<void> {
    await this.#focus(id);
    const key = this.#pick(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']);
    await this.#changingPlace(id, () => this.#page.keyboard.press(`Alt+Shift+${key}`));
  }

  async #duplicate(id: string): Promise<void> {
    await this.#focus(id);
    await this.#changing(1, () => this.#page.keyboard.press('Control+d'));
  }

  async #paste(id: string): Promise<void> {
    await this.#focus(id);
    await this.#page.keyboard.press('Control+c');
    await this.#changing(1, () => this.#page.keyboard.press('Control+v'));
  }

  async #rename(id: string): Promise<void> {
    await this.#focus(id);
    await this.#page.keyboard.press('F2');
    const field = this.#page.getByRole('dialog').getByRole('textbox');
    await field.fill(`Name ${Math.floor(this.#random() * 1_000_000)}`);
    await this.#page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
  }

  async #delete(id: string): Promise<void> {
    await this.#focus(id);
    await this.#changing(-1, () => this.#page.keyboard.press('Delete'));
  }

  async #layOut(id: string): Promise<void> {
    // Something is out of place.
    await this.#nudge(id);
    await this.#page.keyboard.press('Control+Shift+l');
    await this.#page.getByRole('button', { name: /^Undo: Lay out/ }).waitFor();
  }

  async #changing(by: number, edit: () => Promise<void>): Promise<void> {
    const before = await this.#count();
    await edit();
    await eventually(() => this.#count()).toBe(before + by);
  }

  async #changingPlace(id: string, edit: () => Promise<void>): Promise<void> {
    // Selecting a card changes its layer, which is no edit.
    const place = async () => /transform: [^;]*/.exec((await this.#editor.card(id).getAttribute('style')) ?? '')?.[0];
    const before = await place();
    await edit();
    await eventually(place).not.toBe(before);
  }

  /** The number of nodes, which the name of the graph contains: cards out of sight are not drawn. */
  async #count(): Promise<number> {
    const name = await this.#page.locator('[aria-label^="Graph: "]').getAttribute('aria-label');
    return Number(/(\d+) node/.exec(name ?? '')?.[1]);
  }

  /** One of the cards, other than the trigger, that no other card covers; null if there is none. */
  async #chooseCard(): Promise<string | null> {
    await this.#page.getByRole('button', { name: 'Fit view' }).click();
    const ids = await this.#page.evaluate<readonly string[]>(uncovered);
    const others = ids.filter((id) => !id.startsWith('start'));
    return others.length === 0 ? null : this.#pick(others);
  }

  async #focus(id: string): Promise<void> {
    await this.#editor.card(id).getByRole('group').focus();
  }

  #distance(): number {
    return Math.round((this.#random() * 60 + 24) * (this.#random() < 0.5 ? -1 : 1));
  }

  #pick<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] as Choice;
  }
}

// A text, because the types of the browser are not known here.
const uncovered = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => [...document.querySelectorAll('.react-flow__node')].filter((card) => {
  const { x, y, width, height } = card.getBoundingClientRect();
  return card.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}).map((card) => card.dataset.id))`;
