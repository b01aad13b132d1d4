import { expect } from 'vitest';
import { keyOf } from '../../state/fields/field-drafts.ts';
import { isSame } from './meanings.testkit.ts';
import type { SeenField, TypingPage } from './typing.testkit.ts';

/**
 * What a person last typed into each field, or chose for it, until the person undoes it or takes what somebody else
 * stored. It must be stored, or marked in its field, or in the card of a conflict.
 */
export class Wishes {
  readonly #page: TypingPage;
  /** The values of the fields of both nodes. */
  readonly #values = new Map<string, unknown>();
  /** The texts of fields and their parts that are no values; null if only the value of the field is rejected. */
  readonly #texts = new Map<string, string | null>();

  constructor(page: TypingPage) {
    this.#page = page;
  }

  /** The person did something with a field. */
  note(path: string): void {
    const key = keyOf(path);
    this.#values.set(this.#name(key), this.#page.field(key).value);
    this.#noteText(path);
    if (path !== key && this.#texts.has(this.#name(key))) this.#noteText(key);
  }

  /** The parts of a field have other places, or other values. */
  forgetInside(path: string): void {
    const outer = this.#name(path);
    for (const name of this.#texts.keys()) if (name !== outer && isOf(name, outer)) this.#texts.delete(name);
  }

  /** The texts of parts that a field does not show any more are given up. */
  discard(key: string): void {
    const shown = new Set(this.#page.inputs().map(({ path }) => this.#name(path)));
    for (const name of this.#texts.keys())
      if (isOf(name, this.#name(key)) && !shown.has(name)) this.#texts.delete(name);
  }

  /** Somebody else stored another value of a field in which nothing waits to be stored. */
  forgetValue(name: string): void {
    this.#values.delete(name);
  }

  decide(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** An undo or a redo has changed values: in the form those that differ, in the other node any of them. */
  forgetUndone(): void {
    for (const [name, value] of this.#values) {
      const [node, key = ''] = name.split(' ');
      if (node !== this.#page.node || !isSame(this.#page.field(key).value, value)) this.#values.delete(name);
    }
  }

  /** @param isSaved whether the header says so */
  check(seen: readonly SeenField[], isSaved: boolean): void {
    const fields = new Map(seen.map((field) => [field.name, field]));
    for (const [name, value] of this.#values) {
      if (this.#isInCard(name, value)) continue;
      const field = fields.get(name);
      if (field !== undefined) expect(field.value, `${name} as it was typed or chosen`).toEqual(value);
      if (isSaved && !this.#page.unsaved.includes(name))
        expect(this.#stored(name), `${name} is stored as it was typed or chosen`).toEqual(value);
    }
    for (const [name, text] of this.#texts) {
      const [node, path = ''] = name.split(' ');
      expect(this.#page.unsaved, `the header names ${name}, because “${text}” is not stored`).toContain(name);
      if (node !== this.#page.node) continue;
      // A part that is not shown any more is marked in its field.
      const field = fields.get(name) ?? fields.get(this.#name(keyOf(path)));
      expect(field?.problem ?? null, `${name} is marked, because “${text}” is not stored`).not.toBeNull();
      if (text !== null && field?.name === name) expect(field.text, name).toBe(text);
    }
  }

  #noteText(path: string): void {
    const { problem, text, value, stored } = this.#page.field(path);
    // The problem of a text in a part that is not shown is the path of this part.
    const isText = problem !== null && !problem.startsWith(`${path}.`) && !problem.startsWith(`${path}[`);
    if (isText) this.#texts.set(this.#name(path), isSame(value, stored) ? text : null);
    else this.#texts.delete(this.#name(path));
  }

  #isInCard(name: string, value: unknown): boolean {
    return this.#page.conflicts.some(({ values = [] }) =>
      values.some(
        ({ owner, path, mine }) => `${owner} ${path.split('.').at(-1)}` === name && isSame(mine ?? undefined, value),
      ),
    );
  }

  #name(path: string): string {
    return `${this.#page.node} ${path}`;
  }

  #stored(name: string): unknown {
    const [node = '', key = ''] = name.split(' ');
    return this.#page.stored(node, key);
  }
}

/** Whether a field is another one, or a part of it. */
export function isOf(name: string, outer: string): boolean {
  return name.startsWith(outer) && /^($|[.[])/.test(name.slice(outer.length));
}
