import type { KeyFile } from './key-file.ts';
import { keyOfPhrase, type SecretKey } from './secret-key.ts';

/** The keys that this process has. Which of them seals, the database says. */
export interface Keyring {
  find(id: string): SecretKey | undefined;
  /** Looks again where the keys come from: a rotation may have added one. A key that was there once stays. */
  reload(): void;
}

/** A keyring of keys that do not change. */
export function fixedKeyring(keys: readonly SecretKey[]): Keyring {
  const byId = new Map(keys.map((key) => [key.id, key]));
  return { find: (id) => byId.get(id), reload: () => undefined };
}

/** A keyring of the operator's key, if there is one, and of those in the key file. */
export class InstalledKeys implements Keyring {
  readonly #file: KeyFile;
  readonly #keys = new Map<string, SecretKey>();
  /** The key that is made from the operator's own text. */
  readonly given: SecretKey | null;

  /** @throws SecretKeyError when the key file cannot be used */
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

  /** Keeps a key for this process and, in the file, for others and for after a crash. */
  add(key: SecretKey): void {
    this.#file.replace([...(this.#file.read() ?? []).filter(({ id }) => id !== key.id), key]);
    this.#keys.set(key.id, key);
  }

  /** Takes from the file what is not needed there. Processes that have read it keep it in memory. */
  keepInFile(isNeeded: (key: SecretKey) => boolean): void {
    const keys = this.#file.read() ?? [];
    const needed = keys.filter(isNeeded);
    if (needed.length < keys.length) this.#file.replace(needed);
  }

  /** The key to begin with in an empty database: the operator's, or the file's newest, which is made if need be. */
  first(): SecretKey {
    const first = this.given ?? this.#file.read()?.at(-1) ?? this.#file.create();
    this.#keys.set(first.id, first);
    return first;
  }
}
