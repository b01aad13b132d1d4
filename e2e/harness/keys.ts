import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { pace } from './hand.ts';

/** Runs in the page: the element with the focus, also in a shadow root. */
const focusedElement = `(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
})()`;

/** The name by which a screen reader announces an element, for the elements of this application. */
const focusedName = `((element) => {
  if (element === null || element === document.body) return '';
  const names = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent);
  return [...names, element.getAttribute('aria-label'), element.labels?.[0]?.textContent, element.textContent]
    .find((text) => text) ?? '';
})(${focusedElement})`;

/** So many presses of Tab reach every element of a page of the editor. */
const mostTabs = 80;

/** A person who uses a page with the keyboard alone. */
export class Keys {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(key: string): Promise<void> {
    if (pace.key > 0) await this.#page.waitForTimeout(pace.key);
    await this.#page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text, { delay: pace.key });
  }

  /** Presses Tab until an element of this name has the focus, which must be visible at each stop. */
  async tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const passed: string[] = [];
    if (pace.think > 0) await this.#page.waitForTimeout(pace.think);
    for (let count = 0; count < mostTabs; count += 1) {
      await this.press(key);
      const focused = await this.#focused();
      expect([
        focused,
        await this.#page.evaluate(`${focusedElement}?.matches(':focus-visible, body') ?? true`),
      ]).toEqual([focused, true]);
      if (name.test(focused)) return;
      passed.push(focused);
    }
    throw new Error(`Tab does not reach ${name}. It reaches: ${passed.join(' | ')}`);
  }

  /** Waits until an element of this name has the focus. */
  expectFocus(name: RegExp): Promise<void> {
    return eventually(() => this.#focused()).toMatch(name);
  }

  /** Waits until a live region contains a text. */
  expectSaid(text: string | RegExp): Promise<void> {
    return this.#page.locator('[aria-live]').getByText(text).waitFor({ state: 'attached' });
  }

  #focused(): Promise<string> {
    return this.#page.evaluate(focusedName);
  }
}
