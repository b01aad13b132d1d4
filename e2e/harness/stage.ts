import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/chromium.mjs';
import { ModelProvider } from './model-provider.ts';
import { adminKey, Service } from './service.ts';
import { buildWebApp } from './web-app.ts';

/** The path of the browser; null if it is not installed, and then no journey runs. */
export const browserPath = findChromium();

/** No GPU and no services of its own; the same colours and fonts on each machine. */
const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
];

/** Waits end after this time: ten times what the slowest step takes, because a test machine has other work. */
const timeoutMs = 20_000;

const desktop = { width: 1440, height: 900 };

/** What all journeys share: the service, the browser and the model provider. */
export class Stage {
  readonly service: Service;
  readonly browser: Browser;
  readonly model: ModelProvider;

  private constructor(service: Service, browser: Browser, model: ModelProvider) {
    this.service = service;
    this.browser = browser;
    this.model = model;
  }

  static async open(extraArguments: readonly string[] = []): Promise<Stage> {
    if (browserPath === null) throw new Error('Chromium is not installed.');
    await buildWebApp();
    const [service, browser, model] = await Promise.all([
      Service.start(),
      chromium.launch({ executablePath: browserPath, args: [...browserArguments, ...extraArguments] }),
      ModelProvider.start(),
    ]);
    return new Stage(service, browser, model);
  }

  /** A browser in which nobody is logged in. */
  async visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    // Windows that slide and fade in would be measured half way.
    const context = await this.browser.newContext({ viewport: desktop, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(timeoutMs);
    return context;
  }

  /** A browser in which the owner of the key, by default the admin, is logged in. */
  async user(options: BrowserContextOptions = {}, apiKey: string = adminKey): Promise<BrowserContext> {
    const context = await this.visitor(options);
    const headers = { origin: this.service.url };
    const answer = await context.request.post(`${this.service.url}/api/v1/auth/session/`, {
      headers,
      data: { api_key: apiKey },
    });
    if (!answer.ok()) throw new Error(`The login failed with ${answer.status()}.`);
    return context;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await Promise.all([this.service.stop(), this.model.stop()]);
  }
}

/** Opens a page of the service and waits for its heading. */
export async function visit(page: Page, service: Service, path: string): Promise<void> {
  await page.goto(`${service.url}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
