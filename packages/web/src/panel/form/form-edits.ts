/** Runs a function after a pause; returns how to cancel it. */
export type After = (ms: number, run: () => void) => () => void;

/** After the last key for this long, an edit is stored. */
const pauseMs = 400;

interface FormEditsPorts {
  readonly after: After;
  /** Stores edits. They may become visible in the stored config later. */
  readonly store: (edits: ReadonlyMap<string, unknown>) => void;
  readonly onChange: () => void;
  /** Edits that cannot be stored yet, by path; it outlives the form. */
  readonly held: Map<string, HeldEdit>;
}

/** An edit that the service would reject. */
export interface HeldEdit {
  readonly value: unknown;
  readonly reason: string;
}

/**
 * The edits of one node's form. Edits are stored after a pause, and at once when a field or the form is left, so none is
 * lost. An edit that was sent stays visible until the stored config changes.
 */
export class FormEdits {
  readonly #ports: FormEditsPorts;
  #waiting = new Map<string, unknown>();
  #sent = new Map<string, unknown>();
  #cancel: (() => void) | null = null;
  #shown: ReadonlyMap<string, unknown> = new Map();

  constructor(ports: FormEditsPorts) {
    this.#ports = ports;
    this.#shown = new Map([...ports.held].map(([path, { value }]) => [path, value]));
  }

  /** The edits that the stored config may not contain yet. The same map until they change. */
  get shown(): ReadonlyMap<string, unknown> {
    return this.#shown;
  }

  /** Why the edit of a field is not stored; undefined if it is. */
  heldBecause(path: string): string | undefined {
    return this.#ports.held.get(path)?.reason;
  }

  /** A field got a value; undefined removes it. @param issue why the value cannot be stored: it stays in the form */
  set(path: string, value: unknown, issue: string | null = null): void {
    if (issue !== null) {
      this.#waiting.delete(path);
      this.#ports.held.set(path, { value, reason: issue });
      this.#changed();
      return;
    }
    this.#ports.held.delete(path);
    this.#waiting.set(path, value);
    this.#cancel?.();
    this.#cancel = this.#ports.after(pauseMs, () => this.flush());
    this.#changed();
  }

  /** Stores the edits that wait. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#waiting.size === 0) return;
    const edits = this.#waiting;
    this.#waiting = new Map();
    this.#sent = new Map([...this.#sent, ...edits]);
    this.#ports.store(edits);
  }

  /** The stored config changed: it contains what was sent. */
  stored(): void {
    if (this.#sent.size === 0) return;
    this.#sent = new Map();
    this.#changed();
  }

  #changed(): void {
    const held = [...this.#ports.held].map(([path, { value }]): [string, unknown] => [path, value]);
    this.#shown = new Map([...this.#sent, ...this.#waiting, ...held]);
    this.#ports.onChange();
  }
}
