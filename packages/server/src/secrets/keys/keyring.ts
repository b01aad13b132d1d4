import type { KeyFile } from './key-file.ts';
import { keyOfPhrase, type SecretKey } from './secret-key.ts';

/** The keys that this process has. The database determines which of them seals. */
export interface Keyring {
  find(id: string): SecretKey | undefined;
  /** Reads the keys again from their source: a rotation may have added one. Keys already read are retained. */
  reload(): void;
  /** Called before each secret is sealed: records, once, that secrets are stored under these keys. */
  markUsed(): void;
}

/** A keyring with fixed keys. */
export function fixedKeyring(keys: readonly SecretKey[]): Keyring {
  const byId = new Map(keys.map((key) => [key.id, key]));
  return { find: (id) => byId.get(id), reload: () => undefined, markUsed: () => undefined };
}

/** A keyring of the operator's key, if there is one, and of those in the key file. */
export class InstalledKeys implements Keyring {
  readonly #file: KeyFile;
  readonly #keys = new Map<string, SecretKey>();
  #isMarked = false;
  /** The key that is derived from the operator's own text. */
  readonly given: SecretKey | null;

  /** @throws SecretKeyError if the key file cannot be used */
  constructor(file: KeyFile, phrase: string | null) {
    this.#file = file;
    this.given = phrase === null ? null : keyOfPhrase(phrase);
    if (this.given !== null) this.#keys.set(this.given.id, this.given);
    this.reload();
  }

  find(id: string): SecretKey | undefined {
    return this.#keys.get(id);
  }

  reload(): void {
    for (const key of this.#file.read() ?? []) this.#keys.set(key.id, key);
  }

  /** Whether secrets were stored under any of the keys. */
  get isUsed(): boolean {
    return this.#file.isUsed;
  }

  /** The path of the file of the keys if it does not exist. */
  get missingFile(): string | null {
    return this.#file.read() === null ? this.#file.path : null;
  }

  /** The file of the keys, for messages. */
  get path(): string {
    return this.#file.path;
  }

  markUsed(): void {
    if (this.#isMarked) return;
    if (!this.#file.isUsed) this.#file.markUsed();
    this.#isMarked = true;
  }

  /** Stores a key for this process and, in the file, for other processes and for the time after a crash. */
  add(key: SecretKey): void {
    this.#file.replace([...(this.#file.read() ?? []).filter(({ id }) => id !== key.id), key]);
    this.#keys.set(key.id, key);
  }

  /** Removes unneeded keys from the file. Processes that have read them retain them in memory. */
  keepInFile(isNeeded: (key: SecretKey) => boolean): void {
    const keys = this.#file.read() ?? [];
    const needed = keys.filter(isNeeded);
    if (needed.length < keys.length) this.#file.replace(needed);
  }

  /** The first key for an empty database: the operator's, or the newest of the file, which is created if necessary. */
  first(): SecretKey {
    const first = this.given ?? this.#file.read()?.at(-1) ?? this.#file.create();
    this.#keys.set(first.id, first);
    return first;
  }
}
