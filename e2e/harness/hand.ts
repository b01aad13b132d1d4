import type { Locator, Page } from 'playwright-core';

/**
 * How long a person takes, in milliseconds, after Card, Moran and Newell's keystroke-level model (Communications of the
 * ACM 23, 1980): thinking, pointing, pressing a button, moving a hand to the other device, and one key of an average typist.
 */
const human = { think: 1350, point: 1100, press: 200, home: 400, key: 280 } as const;
const none = { think: 0, point: 0, press: 0, home: 0, key: 0 } as const;

type Pace = Readonly<Record<keyof typeof human, number>>;

/** `E2E_PACE=human` makes the timed journeys as slow as a person. */
export const pace: Pace = process.env.E2E_PACE === 'human' ? human : none;

/** The hands of a person on mouse and keyboard, at the pace of a person. */
export class Hand {
  readonly #page: Page;
  readonly #startedAt = performance.now();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Since the person has begun. */
  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  async click(target: Locator): Promise<void> {
    await target.waitFor();
    await this.#pause(pace.think + pace.point);
    await target.click();
    await this.#pause(pace.press);
  }

  /** Clicks a field and types into it. */
  async fill(field: Locator, text: string): Promise<void> {
    await this.click(field);
    await this.#pause(pace.home);
    await this.#page.keyboard.type(text, { delay: pace.key });
    await this.#pause(pace.home);
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#page.waitForTimeout(ms);
  }
}
