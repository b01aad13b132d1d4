import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Slower than an install is noticed, faster than a person is. */
const retryMs = 200;
/** Waits of a second are not worth a line. */
const silentTries = 5;

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled, but it lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** One install at a time in a folder: two would delete each other's files. The file names the processes that hold it. */
export class InstallLock {
  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }

  /** @param {(holder: string) => void} onWait told once, when the wait is long */
  async take(onWait) {
    mkdirSync(dirname(this.file), { recursive: true });
    for (let tries = 1; !this.#tryOnce(); tries += 1) {
      if (tries === silentTries) onWait(this.#holders());
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Another process works under this lock too: when only this one dies, the lock holds until that one ends. @param {number} pid */
  share(pid) {
    writeFileSync(this.file, `${process.pid} ${pid}`);
  }

  release() {
    rmSync(this.file, { force: true });
  }

  #holders() {
    try {
      return readFileSync(this.file, 'utf8');
    } catch {
      return '';
    }
  }

  #tryOnce() {
    try {
      writeFileSync(this.file, String(process.pid), { flag: 'wx' });
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      // In a restarted container a holder's number may be our own. An empty file is being written just now.
      const dead = this.#holders()
        .split(' ')
        .map(Number)
        .every((pid) => pid > 0 && (pid === process.pid || !isAlive(pid)));
      if (dead) this.release();
      return false;
    }
  }
}
