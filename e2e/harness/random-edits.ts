import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Editor } from './editor.ts';
import { eventually } from './eventually.ts';
import { randomFrom } from './random-numbers.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The nodes of one editor and their places, as they must be after its edits. */
type Nodes = ReadonlyMap<string, Place>;

/**
 * A person who adds, moves and deletes nodes of one type by mouse and keyboard, and takes some of it back. After each
 * edit the page must show these nodes where they were put, whatever others do meanwhile.
 */
export class RandomEditor {
  readonly #page: Page;
  readonly #editor: Editor;
  readonly #type: string;
  readonly #random: () => number;
  /** The states that undo goes back to. */
  readonly #earlier: Nodes[] = [];
  #nodes: Nodes = new Map();

  constructor(page: Page, editor: Editor, { type, seed }: { readonly type: string; readonly seed: number }) {
    this.#page = page;
    this.#editor = editor;
    this.#type = type;
    this.#random = randomFrom(seed);
  }

  /** The nodes that must exist in the end. */
  get nodes(): Nodes {
    return this.#nodes;
  }

  async edit(): Promise<void> {
    const choice = this.#random();
    if (this.#nodes.size === 0 || choice < 0.3) await this.#add();
    else if (choice < 0.75) await this.#move();
    else if (choice < 0.85) await this.#delete();
    else await this.#undo();
  }

  async #add(): Promise<void> {
    await this.#editor.add(this.#type);
    await this.#page.getByRole('button', { name: 'Close', exact: true }).click();
    await eventually(async () => {
      await this.#fit();
      return (await this.#shown()).size;
    }).toBe(this.#nodes.size + 1);
    this.#remember(await this.#shown());
  }

  async #move(): Promise<void> {
    const id = await this.#reachable();
    if (id === null) return this.#add();
    const before = this.#nodes.get(id);
    const zoom = await this.#page.evaluate<number>(zoomOfCanvas);
    // On the canvas, so that a small picture of a large graph does not spread it further.
    const distance = () => (this.#random() * 80 + 24) * (this.#random() < 0.5 ? -1 : 1) * zoom;
    // A card of the other person may come in between: then that drag moved nothing of this one.
    await eventually(async () => {
      await this.#editor.move(id, distance(), distance());
      return (await this.#shown()).get(id);
    }).not.toEqual(before);
    const place = (await this.#shown()).get(id) as Place;
    this.#remember(new Map([...this.#nodes, [id, place]]));
  }

  async #delete(): Promise<void> {
    const id = await this.#reachable();
    if (id === null) return this.#add();
    await this.#editor.card(id).click();
    await this.#page.getByRole('button', { name: 'Delete node' }).click();
    this.#remember(new Map([...this.#nodes].filter(([name]) => name !== id)));
  }

  async #undo(): Promise<void> {
    const earlier = this.#earlier.pop();
    if (earlier === undefined) return this.#add();
    await this.#editor.undo();
    this.#nodes = earlier;
    await this.#expectNodes();
  }

  #remember(nodes: Nodes): void {
    this.#earlier.push(this.#nodes);
    this.#nodes = nodes;
  }

  /** One of the nodes that no other card covers; null if there is none. */
  async #reachable(): Promise<string | null> {
    await this.#expectNodes();
    const uncovered = await this.#page.evaluate<readonly string[]>(uncoveredCards);
    const names = uncovered.filter((id) => this.#nodes.has(id));
    return names[Math.floor(this.#random() * names.length)] ?? null;
  }

  /** Shows all cards: those outside of the view are not drawn. */
  async #fit(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Fit view' }).click();
  }

  async #expectNodes(): Promise<void> {
    await eventually(async () => {
      await this.#fit();
      return this.#shown();
    }).toEqual(this.#nodes);
  }

  /** The nodes of this editor that the page shows. */
  async #shown(): Promise<Nodes> {
    return new Map(
      [...(await shownOn(this.#page))].filter(([id]) => id === this.#type || id.startsWith(`${this.#type}_`)),
    );
  }
}

// Texts, because the types of the browser are not known here.
const drawnCards = `[...document.querySelectorAll('.react-flow__node')].map((card) => {
  const { m41: x, m42: y } = new DOMMatrix(card.style.transform);
  return [card.dataset.id, x, y];
})`;

const zoomOfCanvas = `new DOMMatrix(document.querySelector('.react-flow__viewport').style.transform).a`;

const uncoveredCards = `[...document.querySelectorAll('.react-flow__node')].filter((card) => {
  const { x, y, width, height } = card.getBoundingClientRect();
  return card.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}).map((card) => card.dataset.id)`;

/** The cards that a page has drawn, with their places on the canvas. */
export async function shownOn(page: Page): Promise<Nodes> {
  const cards = await page.evaluate<readonly (readonly [string, number, number])[]>(drawnCards);
  return new Map(cards.map(([id, x, y]) => [id, { x, y }]));
}

/** Fails unless the map has all of these nodes. */
export function expectAll(nodes: Nodes, among: Nodes): void {
  for (const [id, place] of nodes) expect(among.get(id), id).toEqual(place);
}
