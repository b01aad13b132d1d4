import type { HeldEdit } from '../../state/fields/field-drafts.ts';

/** Runs a function after a pause; returns how to cancel it. */
export type After = (ms: number, run: () => void) => () => void;

/** After the last key for this long, an edit is stored. */
const pauseMs = 400;

/** Edits that cannot be stored yet, by path; they outlive the form. */
interface HeldEdits {
  readonly held: ReadonlyMap<string, HeldEdit>;
  hold(path: string, edit: HeldEdit | null): void;
  setWaiting(flush: (() => void) | null): void;
}

interface FormEditsPorts {
  readonly after: After;
  /**
   * Stores edits. They may become visible in what is stored later. Returns the paths of those about which a person must
   * decide first.
   */
  readonly store: (edits: ReadonlyMap<string, unknown>) => readonly string[];
  readonly drafts: HeldEdits;
}

/**
 * The edits of one node's form. Edits are stored after a pause, and at once when a field or the form is left, so none is
 * lost. An edit that was sent stays visible until the stored config changes.
 */
export class FormEdits {
  readonly #ports: FormEditsPorts;
  readonly #listeners = new Set<() => void>();
  #waiting = new Map<string, unknown>();
  #sent = new Map<string, unknown>();
  #cancel: (() => void) | null = null;
  #shown: ReadonlyMap<string, unknown> = new Map();

  constructor(ports: FormEditsPorts) {
    this.#ports = ports;
    this.#shown = this.#current();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The edits that the stored config may not contain yet. The same map until they change. */
  readonly getShown = (): ReadonlyMap<string, unknown> => this.#shown;

  /** Why the edit of a field is not stored; undefined if it is. */
  heldBecause(path: string): string | undefined {
    return this.#ports.drafts.held.get(path)?.reason;
  }

  /** A field got a value; undefined removes it. @param issue why the value cannot be stored: it stays in the form */
  set(path: string, value: unknown, issue: string | null = null): void {
    if (issue === null) this.#waiting.set(path, value);
    else this.#waiting.delete(path);
    this.#ports.drafts.hold(path, issue === null ? null : { value, reason: issue });
    this.#wait();
  }

  /** A field has its stored value again: what was typed since is not stored. */
  withdraw(path: string): void {
    this.#waiting.delete(path);
    this.#sent.delete(path);
    this.#ports.drafts.hold(path, null);
    this.#wait();
  }

  /** An edit was held or not any more, by somebody else than this form. */
  readonly refresh = (): void => this.#changed();

  /** Stores the edits that wait. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#waiting.size === 0) return;
    const edits = this.#waiting;
    this.#waiting = new Map();
    this.#sent = new Map([...this.#sent, ...edits]);
    // Their fields show what is stored: the card of the conflict shows both values.
    for (const path of this.#ports.store(edits)) this.#sent.delete(path);
    this.#ports.drafts.setWaiting(null);
    this.#changed();
  }

  /** The stored config changed: it contains what was sent. */
  stored(): void {
    if (this.#sent.size === 0) return;
    this.#sent = new Map();
    this.#changed();
  }

  #wait(): void {
    this.#cancel?.();
    this.#cancel = this.#waiting.size === 0 ? null : this.#ports.after(pauseMs, () => this.flush());
    this.#ports.drafts.setWaiting(this.#waiting.size > 0 ? () => this.flush() : null);
    this.#changed();
  }

  #current(): ReadonlyMap<string, unknown> {
    const held = [...this.#ports.drafts.held].map(([path, { value }]): [string, unknown] => [path, value]);
    return new Map([...this.#sent, ...this.#waiting, ...held]);
  }

  #changed(): void {
    this.#shown = this.#current();
    for (const listener of this.#listeners) listener();
  }
}
