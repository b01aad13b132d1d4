import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOn } from './axe.ts';
import type { ModelProvider } from './model-provider.ts';
import { Service } from './service.ts';
import { browserPath, Stage, visit } from './stage.ts';
import { type ExpectedFailure, Watcher } from './watcher.ts';
import { root } from './web-app.ts';

/** What a journey works with. */
export interface Scene {
  readonly service: Service;
  readonly model: ModelProvider;
  /** A page of a browser in which the admin is logged in. */
  readonly page: Page;
  /** Opens an address of the service in the page. */
  goto(path: string): Promise<void>;
  /** Another service, with a database of its own, in which nobody has logged in yet. */
  newService(): Promise<Service>;
  /** Another page: of the same browser, of another user, or, with the key null, of a visitor. */
  newPage(apiKey?: string | null, options?: BrowserContextOptions): Promise<Page>;
  /** From now on such a request may fail. Every other failed request fails the journey. */
  expectFailure(failure: ExpectedFailure): void;
  /** Fails if axe has serious findings on the page as it is. At the end of a journey all its pages are checked. */
  checkAccessibility(page?: Page): Promise<void>;
}

const failures = join(root, 'e2e/failures');

let stage: Stage | null = null;

/** Starts the service and the browser for the journeys of a test file. */
export function shareStage(): void {
  if (browserPath === null) return;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(async () => {
    await stage?.close();
    stage = null;
  });
}

/**
 * A test in the browser. It fails on errors on the console, uncaught errors, failed requests that it does not expect,
 * and serious findings of axe at its end. After a failure there is a screenshot of each page in `e2e/failures/`.
 */
export function journey(
  title: string,
  run: (scene: Scene) => Promise<void>,
  options: BrowserContextOptions = {},
): void {
  test.skipIf(browserPath === null)(title, async () => {
    if (stage === null) throw new Error('A journey needs shareStage() in its test file.');
    const cast = new Cast(stage, options);
    try {
      await run(await cast.scene());
      await cast.checkAccessibility();
      expect(cast.watcher.problems).toEqual([]);
    } catch (error) {
      throw await cast.failure(title, error);
    } finally {
      await cast.close();
    }
  });
}

/** The browsers and pages of one journey. */
class Cast {
  readonly watcher = new Watcher();
  readonly #contexts: BrowserContext[] = [];
  readonly #services: Service[] = [];
  readonly #stage: Stage;
  readonly #options: BrowserContextOptions;

  constructor(stage: Stage, options: BrowserContextOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  async scene(): Promise<Scene> {
    const { service, model } = this.#stage;
    const page = await this.#open(await this.#stage.user(this.#options));
    return {
      service,
      model,
      page,
      newService: () => this.#newService(),
      goto: (path) => visit(page, service, path),
      newPage: (apiKey, options) => this.#newPage(page, apiKey, options),
      expectFailure: (failure) => this.watcher.expect(failure),
      checkAccessibility: async (other = page) => expect(await findingsOn(other)).toEqual([]),
    };
  }

  async checkAccessibility(): Promise<void> {
    const pages = this.#contexts.flatMap((context) => context.pages()).filter((page) => page.url().startsWith('http'));
    for (const page of pages) expect(await findingsOn(page)).toEqual([]);
  }

  /** The error with the problems of the pages, which are often its cause, and the places of the screenshots. */
  async failure(title: string, error: unknown): Promise<Error> {
    const pages = this.#contexts.flatMap((context) => context.pages());
    mkdirSync(failures, { recursive: true });
    const files = pages.map((_page, index) => join(failures, `${title.replaceAll(/\W+/g, '-')}-${index}.png`));
    await Promise.allSettled(pages.map((page, index) => page.screenshot({ path: files[index] ?? '' })));
    const notes = [...this.watcher.problems, ...files.map((file) => `screenshot: ${file}`)];
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return new Error(`${text}\n${notes.join('\n')}`, { cause: error });
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close()));
    await Promise.all(this.#services.map((service) => service.stop()));
  }

  async #newService(): Promise<Service> {
    const service = await Service.start();
    this.#services.push(service);
    return service;
  }

  async #newPage(first: Page, apiKey?: string | null, options: BrowserContextOptions = {}): Promise<Page> {
    if (apiKey === undefined) return this.#watched(await first.context().newPage());
    return this.#open(apiKey === null ? await this.#stage.visitor(options) : await this.#stage.user(options, apiKey));
  }

  async #open(context: BrowserContext): Promise<Page> {
    this.#contexts.push(context);
    return this.#watched(await context.newPage());
  }

  #watched(page: Page): Page {
    this.watcher.watch(page);
    return page;
  }
}
