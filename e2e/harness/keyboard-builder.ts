import type { Page } from 'playwright-core';
import { Editor } from './editor.ts';
import { Keys } from './keys.ts';
import type { Service } from './service.ts';

/** A person who builds with the keyboard alone. */
export class KeyboardBuilder {
  readonly keys: Keys;
  readonly #page: Page;

  constructor(page: Page) {
    this.keys = new Keys(page);
    this.#page = page;
  }

  /** From any page: creates a workflow, and deletes its trigger. */
  async newWorkflow(service: Service): Promise<Editor> {
    const { keys } = this;
    await keys.press('Control+k');
    await keys.expectFocus(/^Search and run commands$/);
    await keys.type('> new workflow');
    await keys.press('Enter');
    await this.#page.getByRole('button', { name: /^Empty workflow/ }).waitFor();
    await keys.tabTo(/^Empty workflow/);
    await keys.press('Enter');
    const editor = await Editor.opened(this.#page, service);
    await keys.tabTo(/^Skip to canvas$/, 'Shift+Tab');
    await keys.press('Enter');
    await keys.expectFocus(/^start, /);
    await keys.press('Delete');
    await keys.expectSaid('Deleted start');
    return editor;
  }

  /** From the card of a node: adds a node at one of its ports, and leaves the focus on the new one. */
  async addAt(port: string, type: string, name: string): Promise<void> {
    const { keys } = this;
    await keys.press('c');
    await keys.expectFocus(/^Search what to connect to$/);
    await keys.type(`${port} new`);
    await keys.press('Enter');
    await keys.expectFocus(/^Search node types$/);
    await keys.type(type);
    await keys.press('Enter');
    await keys.expectSaid(`Added ${name}`);
    await keys.expectFocus(new RegExp(`^${name}, `));
  }

  /** From a card: opens the settings of its node. */
  async open(): Promise<void> {
    await this.keys.press('Enter');
    await this.keys.expectFocus(/^Setup$/);
  }

  /** From the settings of a node: goes back to its card. */
  async leave(name: string): Promise<void> {
    await this.keys.press('Escape');
    await this.keys.expectFocus(new RegExp(`^${name}, `));
  }

  /** From the empty canvas: adds the trigger, which answers without a key. */
  async addTrigger(): Promise<void> {
    const { keys } = this;
    await keys.tabTo(/^Webhook Trigger$/);
    await keys.press('Enter');
    await keys.expectSaid('Added webhook');
    await keys.expectFocus(/^webhook, /);
    await this.open();
    await keys.tabTo(/^Immediately$/);
    await keys.press('ArrowRight');
    await keys.press('ArrowRight');
    await keys.tabTo(/^Key$/);
    await keys.press('ArrowRight');
    await this.leave('webhook');
  }

  /** From the settings of the switch: adds a rule. */
  async addRule(number: number, kind: string, field = 'trigger.payload.kind', route = kind): Promise<void> {
    const { keys } = this;
    await keys.tabTo(/^Add rule$/);
    await keys.press('Enter');
    await keys.tabTo(new RegExp(`^Field of rule ${number}$`), 'Shift+Tab');
    await keys.type(field);
    await keys.tabTo(new RegExp(`^Value of rule ${number}$`));
    await keys.type(kind);
    await keys.tabTo(new RegExp(`^Route of rule ${number}$`));
    await keys.type(route);
  }

  /** From the settings of the model: chooses its credential and its name. */
  async chooseModel(): Promise<void> {
    const { keys } = this;
    await keys.tabTo(/^Credential$/);
    await keys.press('ArrowDown');
    await keys.tabTo(/^Model$/);
    await keys.type('large');
    await keys.press('Tab');
  }
}
