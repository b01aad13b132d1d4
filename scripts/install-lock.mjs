import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Milliseconds between two checks: short compared with an install, and rare enough to cost nothing. */
const retryMs = 200;
/** Waits of less than a second are not reported. */
const silentTries = 5;

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * One install at a time per folder: two would delete each other's files. The file contains the ids of the processes
 * that hold it.
 */
export class InstallLock {
  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }

  /** @param {(owner: string) => void} onWait called once if the wait is long */
  async take(onWait) {
    mkdirSync(dirname(this.file), { recursive: true });
    for (let tries = 1; !this.#tryOnce(); tries += 1) {
      if (tries === silentTries) onWait(this.#owners());
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Adds another process that works under this lock: if only this process dies, the lock is held until that one ends. @param {number} pid */
  share(pid) {
    writeFileSync(this.file, `${process.pid} ${pid}`);
  }

  release() {
    rmSync(this.file, { force: true });
  }

  #owners() {
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
      // In a restarted container, the owner's id may be our own. An empty file is just being written.
      const dead = this.#owners()
        .split(' ')
        .map(Number)
        .every((pid) => pid > 0 && (pid === process.pid || !isAlive(pid)));
      if (dead) this.release();
      return false;
    }
  }
}
