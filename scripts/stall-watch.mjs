/** @typedef {{ filesDone: number, passed: number, failed: number, running: string[] }} Progress */

/**
 * Notices tests that hang in a way their own time limits do not end, such as an endless loop: for a time, no test and
 * no file has ended.
 */
export class StallWatch {
  #limitMs;
  #onStall;
  /** @type {Progress} */
  #last = { filesDone: 0, passed: 0, failed: 0, running: [] };
  /** @type {NodeJS.Timeout} */
  #timer;

  /** @param {number} limitMs @param {(last: Progress) => void} onStall called once, with the last progress */
  constructor(limitMs, onStall) {
    this.#limitMs = limitMs;
    this.#onStall = onStall;
    this.#timer = this.#start();
  }

  /** @param {Progress} progress */
  saw(progress) {
    const { filesDone, passed, failed } = this.#last;
    this.#last = progress;
    if (progress.filesDone === filesDone && progress.passed === passed && progress.failed === failed) return;
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #start() {
    return setTimeout(() => this.#onStall(this.#last), this.#limitMs);
  }
}
