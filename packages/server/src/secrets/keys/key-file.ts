import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../ground/durable-files.ts';
import { isKeyText, keyOfText, newKeyText, type SecretKey } from './secret-key.ts';

/** The secret key cannot be used, for a reason that the operator can fix. The message is one line. */
export class SecretKeyError extends Error {}

const heading = [
  '# Millrace: the key of the stored secrets. Without it they are lost: keep a copy, but not beside copies of the database.',
  '# More than one line: a rotation was begun and not finished yet (npm run millrace -- rotate-key).',
];

/**
 * The line that marks a key under which secrets are stored. It is a comment, so that it is no key. The file of an
 * operator's key consists of this line alone.
 */
const usedLine = '# Secrets are stored under this key: the service does not start with an empty database.';

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
    if ((lines.length === 0 && !isMarked(text)) || !lines.every(isKeyText)) {
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

  /** Whether secrets were stored under its keys. @throws SecretKeyError if others may read it */
  get isUsed(): boolean {
    return isMarked(this.#text() ?? '');
  }

  /** Writes a copy for another place. @throws SecretKeyError if that file exists */
  copyTo(path: string): void {
    this.#write(path, 'wx', this.#text() ?? '');
    syncToDisk(dirname(path));
  }

  /**
   * Records that secrets are stored under its keys. The line is appended, because another process may be replacing the
   * file: a lost line is written again at the next start, a lost key would be the end of the secrets.
   */
  markUsed(): void {
    this.#write(this.path, 'a', `\n${usedLine}\n`);
    syncToDisk(dirname(this.path));
  }

  /** Creates the file with a new key. It is on disk before anything is sealed with it. */
  create(): SecretKey {
    const key = keyOfText(newKeyText());
    this.#write(this.path, 'wx', textOf([key], false));
    syncToDisk(dirname(this.path));
    return key;
  }

  /** Replaces the keys atomically, so that the file is never half written. With nothing to store it is deleted. */
  replace(keys: readonly SecretKey[]): void {
    const { isUsed } = this;
    const aside = `${this.path}.new`;
    rmSync(aside, { force: true });
    if (keys.length === 0 && !isUsed) rmSync(this.path, { force: true });
    else {
      this.#write(aside, 'wx', textOf(keys, isUsed));
      renameSync(aside, this.path);
    }
    syncToDisk(dirname(this.path));
  }

  #write(path: string, flags: 'wx' | 'a', text: string): void {
    try {
      const file = openSync(path, flags, ownerOnly);
      try {
        writeSync(file, text);
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

function textOf(keys: readonly SecretKey[], isUsed: boolean): string {
  const texts = keys.map(({ key }) => key.export().toString('base64url'));
  return `${[...heading, ...(isUsed ? [usedLine] : []), ...texts].join('\n')}\n`;
}

function isMarked(text: string): boolean {
  return text.split('\n').includes(usedLine);
}
