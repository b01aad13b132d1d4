import { relative } from 'node:path';

/** @typedef {import('vitest/node').Reporter} Reporter */

/** Milliseconds between two lines: often enough to show progress, and few lines in a run of minutes. */
const everyMs = 10_000;

/** @param {import('vitest/node').TestModule} module */
const nameOf = ({ moduleId, project }) => relative(project.config.root, moduleId);

/**
 * A reporter that sends the progress to its parent process: the counts and the running files, every
 * ten seconds as a line too, which reveals a hanging test, and immediately a line for each test that fails. @implements {Reporter}
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
    this.#timer = setInterval(() => this.#sendLine(), everyMs);
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleStart(module) {
    this.#running.add(nameOf(module));
    this.#send({ progress: this.#progress() });
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state } = test.result();
    if (state === 'passed') this.#passed += 1;
    if (state !== 'failed') return;
    this.#failed += 1;
    this.#send({ line: `FAIL ${nameOf(test.module)}: ${test.fullName}` });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    this.#running.delete(nameOf(module));
    this.#filesDone += 1;
    this.#send({ progress: this.#progress() });
  }

  onTestRunEnd() {
    clearInterval(this.#timer);
  }

  /** @returns {import('./stall-watch.mjs').Progress} */
  #progress() {
    const running = [...this.#running].map((file) => file.replace(/^packages\/|\.test\.ts$/g, ''));
    return { filesDone: this.#filesDone, passed: this.#passed, failed: this.#failed, running };
  }

  #sendLine() {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(0).padStart(5);
    const progress = this.#progress();
    const { filesDone, passed, failed, running } = progress;
    const counts = `${filesDone} of ${this.#files} files, ${passed} passed, ${failed} failed`;
    this.#send({ line: `${seconds} s  ${counts}; running: ${running.join(', ')}`, progress });
  }

  /** @param {{ line?: string, progress?: import('./stall-watch.mjs').Progress }} message */
  #send(message) {
    process.send?.(message);
  }
}
