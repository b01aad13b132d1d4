/** Texts by name. */
export interface StoredTexts {
  names(): readonly string[];
  getItem(name: string): string | null;
  /** @throws DOMException if the browser has no room */
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** All keys of a storage, also those of other apps. */
export function keysOf(storage: Storage): readonly string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
}

interface Options {
  readonly storage: () => Storage;
  /** Before each name in the storage. */
  readonly prefix: string;
  /** Whether the owner of the texts is still logged in to this browser. */
  readonly isOpen: () => boolean;
}

/**
 * The texts of one user. After a logout they are empty and nothing is stored any more: a page that is still open in
 * another tab would otherwise write its unsaved edits once more.
 */
export class UserTexts implements StoredTexts {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  names(): readonly string[] {
    const { storage, prefix, isOpen } = this.#options;
    if (!isOpen()) return [];
    const keys = keysOf(storage()).filter((key) => key.startsWith(prefix));
    return keys.map((key) => key.slice(prefix.length));
  }

  getItem(name: string): string | null {
    const { storage, prefix, isOpen } = this.#options;
    return isOpen() ? storage().getItem(`${prefix}${name}`) : null;
  }

  setItem(name: string, text: string): void {
    const { storage, prefix, isOpen } = this.#options;
    if (isOpen()) storage().setItem(`${prefix}${name}`, text);
  }

  removeItem(name: string): void {
    const { storage, prefix, isOpen } = this.#options;
    if (isOpen()) storage().removeItem(`${prefix}${name}`);
  }
}
