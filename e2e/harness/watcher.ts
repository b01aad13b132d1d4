import type { ConsoleMessage, Page, Request, Response } from 'playwright-core';

/** A failed request that a journey causes on purpose. */
export interface ExpectedFailure {
  readonly url: RegExp;
  readonly status: number;
}

/** Collects everything that goes wrong in the pages of one journey. */
export class Watcher {
  readonly #problems: string[] = [];
  readonly #expected: ExpectedFailure[] = [];

  /** Requests to such an address may fail with this status from now on; 0 stands for a lost connection. */
  expect(failure: ExpectedFailure): void {
    this.#expected.push(failure);
  }

  watch(page: Page): void {
    page.on('console', (message) => this.#onConsole(message));
    page.on('pageerror', (error) => this.#problems.push(`uncaught ${error.stack ?? error.message}`));
    page.on('response', (response) => this.#onResponse(response));
    page.on('requestfailed', (request) => this.#onFailedRequest(request));
  }

  /** What went wrong so far. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  #isExpected(url: string, status: number | null): boolean {
    return this.#expected.some((one) => one.url.test(url) && (status === null || one.status === status));
  }

  #onConsole(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // Chromium repeats each failed request on the console; `#onResponse` judges those.
    if (message.text().startsWith('Failed to load resource')) return;
    // The text contains the address of a WebSocket that could not be opened.
    if (this.#isExpected(message.text(), null)) return;
    this.#problems.push(`console ${message.type()}: ${message.text()}`);
  }

  #onResponse(response: Response): void {
    const status = response.status();
    if (status < 400 || this.#isExpected(response.url(), status)) return;
    this.#problems.push(`${response.request().method()} ${response.url()} failed with ${status}`);
  }

  #onFailedRequest(request: Request): void {
    const reason = request.failure()?.errorText ?? '';
    // A page that is left or reloaded abandons its requests.
    if (reason === 'net::ERR_ABORTED' || this.#isExpected(request.url(), 0)) return;
    this.#problems.push(`${request.method()} ${request.url()} failed: ${reason}`);
  }
}
