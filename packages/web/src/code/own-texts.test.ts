import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedPart } from './changed-part.ts';
import { OwnTexts } from './own-texts.ts';

/** An editor whose reports come back later, some of them together. */
class LateEditor {
  text = '';
  readonly #own = new OwnTexts();
  #onItsWay: string[] = [];

  type(key: string): void {
    this.text += key;
    this.#own.report(this.text);
    this.#onItsWay.push(this.text);
  }

  /** The newest of some reports comes back as the value: the page is drawn once for all of them. */
  draw(count: number): void {
    const value = this.#onItsWay.splice(0, count).at(-1);
    if (value !== undefined) this.show(value);
  }

  show(value: string): void {
    if (this.#own.isOwn(value)) return;
    const { from, to, insert } = changedPart(this.text, value);
    this.text = this.text.slice(0, from) + insert + this.text.slice(to);
  }
}

describe('an editor', () => {
  test('loses no key, however late its own texts come back', () => {
    const action = fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.integer({ min: 1, max: 3 }));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const editor = new LateEditor();
        for (const one of actions) {
          if (typeof one === 'string') editor.type(one);
          else editor.draw(one);
        }
        expect(editor.text).toBe(actions.filter((one) => typeof one === 'string').join(''));
      }),
    );
  });

  test('shows a text of others, also one that it reported before', () => {
    const editor = new LateEditor();
    editor.type('a');
    editor.type('b');
    editor.draw(2);
    editor.show('a');
    expect(editor.text).toBe('a');
    editor.show('other');
    expect(editor.text).toBe('other');
  });
});
