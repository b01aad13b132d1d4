import type { EditRules, VersionedGraph } from '@millrace/core/editing';
import { type Conflict, type Draft, newDraft, type RemoteChange, type SaveRequest } from './draft.ts';
import type { DraftOperation } from './operation.ts';
import { attemptedAgain, contested, dismissed, perform, redo, undo } from './performing.ts';
import { acknowledged, received, rejected, requested, type SaveAnswer, stale } from './saving.ts';
import { answered, reopened, type StoredDraft, storedDraft } from './stored-draft.ts';
import type { View } from './view.ts';

/** What became of a request. */
export type SendOutcome =
  | { readonly kind: 'saved'; readonly answer: SaveAnswer }
  | { readonly kind: 'stale'; readonly graph: VersionedGraph }
  | { readonly kind: 'rejected'; readonly index: number; readonly message: string }
  /** The service rejects every request: the user may not edit any more, or must log in. */
  | { readonly kind: 'blocked'; readonly message: string }
  /** No answer: it may or may not have been applied. */
  | { readonly kind: 'unknown' };

/** Where a page stores its draft. */
export interface DraftStorage {
  load(): StoredDraft | null;
  save(draft: StoredDraft): void;
}

/** What the store needs from its environment. */
export interface DraftPorts {
  readonly rules: EditRules;
  readonly storage: DraftStorage;
  readonly send: (request: SaveRequest) => Promise<SendOutcome>;
  /** Reads the newest graph. */
  readonly read: () => Promise<VersionedGraph>;
  /** Calls `fn` after `ms` milliseconds; returns a function that cancels it. */
  readonly after: (ms: number, fn: () => void) => () => void;
  /** Milliseconds. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

/** Whether the draft is saved. */
export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'unsaved'; readonly count: number }
  | { readonly kind: 'offline'; readonly count: number; readonly retryAt: number }
  | { readonly kind: 'blocked'; readonly count: number; readonly message: string };

/** What a page shows of the draft. The object changes only when something in it changes. */
export interface DraftSnapshot {
  readonly view: View;
  readonly save: SaveState;
  readonly conflicts: readonly Conflict[];
  /** The label of the gesture that the next undo takes back; null if there is none. */
  readonly undoLabel: string | null;
  readonly redoLabel: string | null;
}

/** A user action. */
export interface Action {
  readonly label: string;
  readonly operations: readonly DraftOperation[];
  /** The field that is typed in: changes of one field without a pause are undone together. */
  readonly field?: string;
}

/** Edits are saved after a pause of this length, so that typing does not send each character. */
const autosaveMs = 400;
/** The first delay before a request is sent again, and the longest. */
const firstRetryMs = 1000;
const maxRetryMs = 30_000;

/** The draft of one open workflow: it saves edits, sends them again after failures, and stores them until then. */
export class DraftStore {
  readonly #ports: DraftPorts;
  readonly #listeners = new Set<() => void>();
  #draft: Draft;
  #snapshot: DraftSnapshot;
  #isTalking = false;
  #failures = 0;
  #retryAt: number | null = null;
  #blockedBy: string | null = null;
  #cancelSave: (() => void) | null = null;
  #cancelRetry: () => void = () => undefined;

  private constructor(ports: DraftPorts, draft: Draft) {
    this.#ports = ports;
    this.#draft = draft;
    this.#snapshot = this.#current();
    this.#store();
  }

  /**
   * Opens the draft that this page has stored, or a new one. What an earlier page has sent without an answer is sent
   * again first: only its answer shows which edits the service has.
   * @throws whatever `read` throws
   */
  static async open(ports: DraftPorts): Promise<DraftStore> {
    let stored = ports.storage.load();
    if (stored?.sending) {
      const outcome = await ports.send(stored.sending.request);
      if (outcome.kind === 'unknown')
        throw new Error('The service does not answer. Your edits are stored in this tab.');
      if (outcome.kind === 'blocked') throw new Error(outcome.message);
      stored = answered(ports.rules, stored, outcome.kind === 'saved' ? outcome.answer : null);
    }
    const graph = await ports.read();
    const store = new DraftStore(ports, stored === null ? newDraft(graph) : reopened(ports.rules, stored, graph));
    store.flush();
    return store;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): DraftSnapshot => this.#snapshot;

  /** A key for an edge to create. */
  newKey(): string {
    return this.#ports.newId();
  }

  /** @throws Problem if an operation violates a rule; nothing is changed then */
  perform({ label, operations, field }: Action): void {
    const { id, at } = this.#moment();
    const gesture = { id, at, label, operations, ...(field !== undefined && { field }) };
    this.#edited(perform(this.#ports.rules, this.#draft, gesture));
  }

  /** Asks a person whether to perform an action that would overwrite what has changed meanwhile. */
  contest({ label, operations }: Action): void {
    this.#become(contested(this.#ports.rules, this.#draft, { id: this.#ports.newId(), label, operations }));
  }

  undo(): void {
    this.#edited(undo(this.#ports.rules, this.#draft, this.#moment()));
  }

  redo(): void {
    this.#edited(redo(this.#ports.rules, this.#draft, this.#moment()));
  }

  dismiss(conflict: string): void {
    this.#become(dismissed(this.#draft, conflict));
  }

  attemptAgain(conflict: string): void {
    this.#edited(attemptedAgain(this.#ports.rules, this.#draft, { conflict, moment: this.#moment() }));
  }

  /** Takes in what the service announced. */
  receive(changes: readonly RemoteChange[]): void {
    this.#become(received(this.#ports.rules, this.#draft, changes));
  }

  /** Reads the graph again, for example after events were lost. */
  async refresh(): Promise<void> {
    const graph = await this.#ports.read();
    this.receive([{ kind: 'graph', version: graph.version, graph }]);
    this.flush();
  }

  /** Saves at once: a field loses the focus, or the page is left. */
  flush(): void {
    this.#cancelSave?.();
    this.#cancelSave = null;
    if (this.#retryAt === null) void this.#talk();
  }

  /** Sends again at once, for example when the network is available again or the user has logged in. */
  retryNow(): void {
    this.#cancelRetry();
    this.#retryAt = null;
    this.#blockedBy = null;
    void this.#talk();
  }

  /** Ends the timers. What is not saved stays stored. */
  close(): void {
    this.#cancelSave?.();
    this.#cancelSave = null;
    this.#cancelRetry();
    this.#listeners.clear();
  }

  #moment(): { readonly id: string; readonly at: number } {
    return { id: this.#ports.newId(), at: this.#ports.now() };
  }

  #edited(draft: Draft): void {
    if (draft === this.#draft) return;
    this.#become(draft);
    this.#cancelSave?.();
    this.#cancelSave = this.#ports.after(autosaveMs, () => this.flush());
  }

  /** Sends requests, one at a time, until everything is saved or a request fails. */
  async #talk(): Promise<void> {
    if (this.#isTalking || this.#blockedBy !== null) return;
    this.#isTalking = true;
    try {
      while (this.#retryAt === null && this.#blockedBy === null && this.#cancelSave === null) {
        if (this.#draft.isUncertain) await this.#readAgain();
        const request = this.#nextRequest();
        if (request === null) break;
        this.#answer(await this.#ports.send(request));
      }
    } finally {
      this.#isTalking = false;
      this.#notify();
    }
  }

  /** The request without an answer, or a new one. It is stored before it is sent. */
  #nextRequest(): SaveRequest | null {
    if (this.#draft.sending !== null) return this.#draft.sending.request;
    const next = requested(this.#draft, this.#ports.newId());
    if (next === null) return null;
    this.#become(next.draft);
    return next.sending.request;
  }

  #answer(outcome: SendOutcome): void {
    const { rules } = this.#ports;
    if (outcome.kind !== 'unknown') this.#failures = 0;
    switch (outcome.kind) {
      case 'unknown':
        this.#retryLater();
        break;
      case 'saved':
        this.#become(acknowledged(rules, this.#draft, outcome.answer));
        break;
      case 'stale':
        this.#become(stale(rules, this.#draft, outcome.graph));
        break;
      case 'rejected':
        this.#become(rejected(rules, this.#draft, outcome));
        break;
      case 'blocked':
        // An earlier attempt may have been applied, so the same request is sent again later.
        this.#blockedBy = outcome.message;
        break;
    }
  }

  async #readAgain(): Promise<void> {
    try {
      const graph = await this.#ports.read();
      this.receive([{ kind: 'graph', version: graph.version, graph }]);
    } catch {
      this.#retryLater();
    }
  }

  #retryLater(): void {
    const ms = Math.min(maxRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#retryAt = this.#ports.now() + ms;
    this.#cancelRetry = this.#ports.after(ms, () => this.retryNow());
    this.#notify();
  }

  #become(draft: Draft): void {
    const isSame = draft === this.#draft;
    this.#draft = draft;
    if (!isSame) this.#store();
    this.#notify();
  }

  #store(): void {
    this.#ports.storage.save(storedDraft(this.#draft));
  }

  #notify(): void {
    this.#snapshot = this.#current();
    for (const listener of this.#listeners) listener();
  }

  #current(): DraftSnapshot {
    const { view, conflicts, undo: done, redo: undone } = this.#draft;
    const undoLabel = done.at(-1)?.label ?? null;
    return { view, save: this.#saveState(), conflicts, undoLabel, redoLabel: undone.at(-1)?.label ?? null };
  }

  #saveState(): SaveState {
    const count = this.#draft.pending.length;
    if (this.#blockedBy !== null && count > 0) return { kind: 'blocked', count, message: this.#blockedBy };
    if (this.#retryAt !== null) return { kind: 'offline', count, retryAt: this.#retryAt };
    if (this.#draft.sending !== null) return { kind: 'saving' };
    return count === 0 ? { kind: 'saved' } : { kind: 'unsaved', count };
  }
}
