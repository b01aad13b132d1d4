import { relative } from 'node:path';

/** @typedef {import('vitest/node').Reporter} Reporter */

/** Milliseconds between two lines: often enough to show progress, and few lines in a run of minutes. */
const everyMs = 10_000;

/** @param {import('vitest/node').TestModule} module */
const nameOf = ({ moduleId, project }) => relative(project.config.root, moduleId);

/**
 * A reporter that sends the progress to its parent process: a line every ten seconds with the running files, which
 * reveals a hanging test, and immediately a line for each test that fails. @implements {Reporter}
 */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter from the default export.
export default class TestProgress {
  #started = performance.now();
  #files = 0;
  #filesDone = 0;
  #passed = 0;
  #failed = 0;
  /** @type {Set<string>} */
  #running = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {ReadonlyArray<unknown>} specifications */
  onTestRunStart(specifications) {
    this.#files = specifications.length;
    this.#timer = setInterval(() => this.#sendProgress(), everyMs);
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleStart(module) {
    this.#running.add(nameOf(module));
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state } = test.result();
    if (state === 'passed') this.#passed += 1;
    if (state !== 'failed') return;
    this.#failed += 1;
    this.#send(`FAIL ${nameOf(test.module)}: ${test.fullName}`);
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    this.#running.delete(nameOf(module));
    this.#filesDone += 1;
  }

  onTestRunEnd() {
    clearInterval(this.#timer);
  }

  #sendProgress() {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(0).padStart(5);
    const counts = `${this.#filesDone} of ${this.#files} files, ${this.#passed} passed, ${this.#failed} failed`;
    const running = [...this.#running].map((file) => file.replace(/^packages\/|\.test\.ts$/g, '')).join(', ');
    this.#send(`${seconds} s  ${counts}; running: ${running}`);
  }

  /** @param {string} line */
  #send(line) {
    process.send?.(line);
  }
}
