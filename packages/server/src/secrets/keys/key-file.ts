import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isKeyText, keyOfText, newKeyText, type SecretKey } from './secret-key.ts';

/** The secret key cannot be used, for a reason that the operator can fix. The message is one line. */
export class SecretKeyError extends Error {}

const heading = [
  '# Millrace: the key of the stored secrets. Without it they are lost: keep a copy, but not beside copies of the database.',
  '# More than one line: a rotation was begun and not finished yet (npm run millrace -- rotate-key).',
];

/** Accessible to its owner only. */
const ownerOnly = 0o600;
const otherUsersBits = 0o077;

/** The file with the keys of the stored secrets, one per line, the newest last. */
export class KeyFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Null if there is none. @throws SecretKeyError if others may read it, or its content is invalid */
  read(): readonly SecretKey[] | null {
    const text = this.#text();
    if (text === null) return null;
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    if (lines.length === 0 || !lines.every(isKeyText)) {
      throw new SecretKeyError(`The secret key file ${this.path} is damaged: restore it from a copy.`);
    }
    return lines.map(keyOfText);
  }

  #text(): string | null {
    try {
      const mode = statSync(this.path).mode & 0o777;
      if ((mode & otherUsersBits) !== 0) {
        throw new SecretKeyError(
          `The secret key file ${this.path} may be read by others (mode ${mode.toString(8)}): chmod 600 it, and rotate the key.`,
        );
      }
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      if (error instanceof SecretKeyError) throw error;
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') return null;
      throw new SecretKeyError(`The secret key file ${this.path} cannot be read (${code}).`);
    }
  }

  /** Creates the file with a new key. It is on disk before anything is sealed with it. */
  create(): SecretKey {
    const key = keyOfText(newKeyText());
    this.#writeNew(this.path, [key]);
    syncFolder(dirname(this.path));
    return key;
  }

  /** Replaces the file atomically, so that it is never half written. Without keys it is deleted. */
  replace(keys: readonly SecretKey[]): void {
    const aside = `${this.path}.new`;
    rmSync(aside, { force: true });
    if (keys.length === 0) rmSync(this.path, { force: true });
    else {
      this.#writeNew(aside, keys);
      renameSync(aside, this.path);
    }
    syncFolder(dirname(this.path));
  }

  #writeNew(path: string, keys: readonly SecretKey[]): void {
    const texts = keys.map(({ key }) => key.export().toString('base64url'));
    try {
      const file = openSync(path, 'wx', ownerOnly);
      try {
        writeSync(file, `${[...heading, ...texts].join('\n')}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      throw new SecretKeyError(
        `The secret key cannot be written to ${path} (${code}): check the permissions and the free space.`,
      );
    }
  }
}

/** A new file name is on disk only after its folder is synced. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
