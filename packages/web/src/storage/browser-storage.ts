import { keysOf, type StoredTexts, UserTexts } from './user-texts.ts';

/** What all users of a browser share: the look and the use of the keyboard, and nothing about workflows. */
const deviceSettings = ['theme', 'singleKeys'] as const;
type DeviceSetting = (typeof deviceSettings)[number];

const prefix = 'millrace.';
/** Names the user whose texts are stored. It is absent after a logout. */
const ownerKey = `${prefix}owner`;

/** Before the names of the texts of a user. */
const prefixOf = (user: number | null): string => `${prefix}user.${user}.`;

/** The parts of a browser that store texts: for the whole browser, and for one tab. */
interface Browser {
  readonly lasting: Storage;
  readonly tab: Storage;
}

/**
 * Everything that the app stores in a browser. Texts belong to the user who is logged in. They are removed when the
 * user logs out, in whichever tab, and when another user logs in. A session that merely expires removes nothing: edits
 * that are not saved yet wait for the next login of the same user.
 */
export class BrowserStorage {
  readonly #browser: () => Browser;
  readonly #listeners = new Set<() => void>();
  /** The user of this page. A page never changes its user: it is loaded again. */
  #user: number | null = null;

  /** @param browser called at each use, because a test has no browser */
  constructor(browser: () => Browser) {
    this.#browser = browser;
  }

  /** Notes who is logged in to this browser, and removes the texts of everybody else. */
  open(user: number): void {
    const { lasting } = this.#browser();
    if (this.#owner() !== user) {
      lasting.setItem(ownerKey, String(user));
      this.#removeTexts();
    }
    if (this.#user === null) this.#user = user;
    else this.check();
  }

  /** Removes all texts after a logout. */
  close(): void {
    this.#browser().lasting.removeItem(ownerKey);
    this.check();
  }

  /** Removes what a page has left if its user is not logged in to this browser any more, and calls the listeners. */
  check(): void {
    if (this.#user === null || this.#owner() === this.#user) return;
    this.#user = null;
    this.#removeTexts();
    for (const listener of this.#listeners) listener();
  }

  /** Calls back when the user of this page is not logged in to this browser any more. */
  onEnd(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The texts of the user of this page. They stay those of this user after another one logs in. */
  userTexts(): StoredTexts {
    return this.#textsIn('lasting');
  }

  /** The texts of the user of this page that only this tab sees. */
  tabTexts(): StoredTexts {
    return this.#textsIn('tab');
  }

  setting(name: DeviceSetting): string | null {
    return this.#browser().lasting.getItem(`${prefix}${name}`);
  }

  /** @param text null to remove the setting */
  setSetting(name: DeviceSetting, text: string | null): void {
    const { lasting } = this.#browser();
    if (text === null) lasting.removeItem(`${prefix}${name}`);
    else lasting.setItem(`${prefix}${name}`, text);
  }

  #owner(): number | null {
    const owner = this.#browser().lasting.getItem(ownerKey);
    return owner === null ? null : Number(owner);
  }

  #textsIn(place: keyof Browser): StoredTexts {
    const user = this.#user;
    return new UserTexts({
      storage: () => this.#browser()[place],
      prefix: prefixOf(user),
      isOpen: () => user !== null && this.#owner() === user,
    });
  }

  /** Removes the texts of everybody who is not logged in, also those that earlier versions stored without a user. */
  #removeTexts(): void {
    const { lasting, tab } = this.#browser();
    const shared = new Set([ownerKey, ...deviceSettings.map((name) => `${prefix}${name}`)]);
    const own = prefixOf(this.#owner());
    for (const storage of [lasting, tab]) {
      const keys = keysOf(storage).filter((key) => key.startsWith(prefix) && !key.startsWith(own));
      for (const key of keys) if (!shared.has(key)) storage.removeItem(key);
    }
  }
}

/** The storage of the browser that shows this page. */
export const browserStorage = new BrowserStorage(() => ({ lasting: localStorage, tab: sessionStorage }));

/** Follows what other tabs do. A page that is shown again by the Back button was asleep meanwhile. */
export function watchOtherTabs(storage: BrowserStorage): void {
  window.addEventListener('storage', () => storage.check());
  window.addEventListener('pageshow', () => storage.check());
}
