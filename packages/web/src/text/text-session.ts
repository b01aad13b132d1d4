import type { TextGraph } from '@millrace/core/editing';
import type { CanonicalTexts } from './merge-text.ts';

/** An error or a warning at a position of the text, counted from 1. */
export interface TextIssue {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What the service reads in a text. */
export interface Reading {
  readonly issues: readonly TextIssue[];
  /** Null if the text has errors that prevent storing it. */
  readonly workflow: { readonly graph: TextGraph; readonly changes: object; readonly canonical: string } | null;
}

/** What a session needs from its environment. Every request may fail: the session then waits for the next event. */
export interface TextPorts {
  /** The saved text, with comments; null for a person who may only read the workflow. */
  readonly load: () => Promise<string | null>;
  readonly save: (text: string) => Promise<void>;
  readonly read: (text: string) => Promise<Reading>;
  /** The canonical text of the newest saved version. */
  readonly exported: () => Promise<string>;
  /** The text with the changes of the workflow; null if the text has a syntax error. */
  readonly merge: (text: string, canonical: CanonicalTexts) => Promise<string | null>;
  /** Applies what differs between two texts to the draft. @throws Problem if an operation violates a rule */
  readonly edit: (before: TextGraph, after: TextGraph) => void;
  /** Whether the service has every edit of the draft: only then does its text show the draft. */
  readonly isSaved: () => boolean;
  /** Changes the workflow's own fields. */
  readonly change: (changes: object) => Promise<void>;
  /** Calls `fn` after `ms` milliseconds; returns a function that cancels it. */
  readonly after: (ms: number, fn: () => void) => () => void;
}

/** What the pane shows. */
export interface TextSnapshot {
  /** Null until it is loaded. */
  readonly text: string | null;
  readonly issues: readonly TextIssue[];
  /**
   * `synced`: text and canvas show the same. `pending`: an edit is about to be read. `invalid`: the canvas shows the
   * last valid text. `failed`: the service did not answer, or rejected the edit.
   */
  readonly state: 'synced' | 'pending' | 'invalid' | 'failed';
  readonly failure: string | null;
  /** Whether the text was replaced, so that its comments are gone. */
  readonly isReplaced: boolean;
  /** Whether the person may only read the workflow. */
  readonly isReadOnly: boolean;
}

/** A text is read after a pause of this length, so that not every character is. */
const readMs = 300;

/** The last text whose workflow is known. Its changes are what differs from it. */
interface Base {
  readonly graph: TextGraph;
  readonly canonical: string;
}

/**
 * Keeps the text of a workflow and its draft equal. An edit of the text becomes operations of the draft; a saved change
 * of the draft is merged into the text. While the text has errors, neither changes the other; afterwards both changes
 * are merged.
 */
export class TextSession {
  readonly #ports: TextPorts;
  readonly #listeners = new Set<() => void>();
  #snapshot: TextSnapshot = {
    text: null,
    issues: [],
    state: 'pending',
    failure: null,
    isReplaced: false,
    isReadOnly: false,
  };
  #base: Base | null = null;
  #isEdited = false;
  #isOutdated = false;
  #isWorking = false;
  #isClosed = false;
  #cancelRead: (() => void) | null = null;
  #savedText: string | null = null;

  constructor(ports: TextPorts) {
    this.#ports = ports;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): TextSnapshot => this.#snapshot;

  /** Loads the text, with what changed in the workflow since it was saved. */
  async open(): Promise<void> {
    await this.#work(async () => {
      const [text, exported] = await Promise.all([this.#ports.load(), this.#ports.exported()]);
      if (text === null) {
        this.#show({ text: exported, state: 'synced', isReadOnly: true });
        return;
      }
      this.#savedText = text;
      const { workflow } = await this.#ports.read(text);
      // A saved text that cannot be read any more, for example because a credential is gone, is replaced.
      if (workflow === null) {
        await this.#adopt(exported);
        this.#show({ isReplaced: text !== exported });
      } else {
        this.#base = { graph: workflow.graph, canonical: workflow.canonical };
        this.#show({ text });
        await this.#mergeChanges(exported);
      }
    });
  }

  /** The person has edited the text. */
  edit(text: string): void {
    if (text === this.#snapshot.text) return;
    this.#isEdited = true;
    this.#show({ text, state: 'pending', isReplaced: false });
    this.#cancelRead?.();
    this.#cancelRead = this.#ports.after(readMs, () => this.flush());
  }

  /** Reads an edited text at once, for example because the pane loses the focus. */
  flush(): void {
    this.#cancelRead?.();
    this.#cancelRead = null;
    void this.#work(() => this.#settle());
  }

  /** A new version of the workflow was saved, here or elsewhere. */
  workflowChanged(): void {
    this.#isOutdated = true;
    if (this.#cancelRead === null) void this.#work(() => this.#settle());
  }

  /** Replaces a text with errors by the text of the workflow. */
  async discard(): Promise<void> {
    this.#cancelRead?.();
    this.#cancelRead = null;
    this.#isEdited = false;
    await this.#work(async () => this.#adopt(await this.#ports.exported()));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#cancelRead !== null) this.flush();
    this.#listeners.clear();
  }

  /** Runs one piece of work at a time; what arrives meanwhile is done afterwards. */
  async #work(work: () => Promise<void>): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      await work();
    } catch (error) {
      this.#show({ state: 'failed', failure: error instanceof Error ? error.message : String(error) });
      return;
    } finally {
      this.#isWorking = false;
    }
    const isWaiting = this.#isOutdated && this.#ports.isSaved() && this.#snapshot.state !== 'invalid';
    if (this.#cancelRead === null && (this.#isEdited || isWaiting)) await this.#work(() => this.#settle());
  }

  async #settle(): Promise<void> {
    if (this.#base === null) return;
    if (this.#isEdited) await this.#readEdit(this.#base);
    if (this.#isEdited || this.#snapshot.state === 'invalid') return;
    if (!this.#isOutdated || !this.#ports.isSaved()) return;
    this.#isOutdated = false;
    const exported = await this.#ports.exported();
    if (this.#ports.isSaved()) await this.#mergeChanges(exported);
    else this.#isOutdated = true;
  }

  async #readEdit(base: Base): Promise<void> {
    const { text } = this.#snapshot;
    if (text === null) return;
    this.#isEdited = false;
    try {
      const { issues, workflow } = await this.#ports.read(text);
      if (text !== this.#snapshot.text) return;
      if (workflow === null) {
        this.#show({ issues, state: 'invalid', failure: null });
        return;
      }
      this.#ports.edit(base.graph, workflow.graph);
      this.#base = { graph: workflow.graph, canonical: workflow.canonical };
      this.#show({ issues, state: 'synced', failure: null });
      if (Object.keys(workflow.changes).length > 0) await this.#ports.change(workflow.changes);
      await this.#save();
    } catch (error) {
      this.#isEdited ||= this.#base === base;
      throw error;
    }
  }

  /** Merges what changed in the workflow since the base. The result is read again to prove that it is the workflow. */
  async #mergeChanges(exported: string): Promise<void> {
    const { text } = this.#snapshot;
    if (this.#base === null || text === null) return;
    const { canonical } = this.#base;
    if (exported === canonical) {
      this.#show({ state: 'synced', failure: null });
      return;
    }
    const merged = await this.#ports.merge(text, { before: canonical, after: exported });
    const reading = merged === null ? null : await this.#ports.read(merged);
    if (this.#snapshot.text !== text) {
      // The person typed meanwhile: merge after that edit.
      this.#isOutdated = true;
      return;
    }
    if (merged === null || reading?.workflow?.canonical !== exported) {
      await this.#adopt(exported);
      this.#show({ isReplaced: true });
    } else {
      this.#base = { graph: reading.workflow.graph, canonical: exported };
      this.#show({ text: merged, issues: reading.issues, state: 'synced', failure: null });
      await this.#save();
    }
  }

  /** Shows the canonical text. */
  async #adopt(exported: string): Promise<void> {
    const { issues, workflow } = await this.#ports.read(exported);
    if (workflow === null) throw new Error('The text of this workflow cannot be edited. Edit it on the canvas.');
    this.#isOutdated = false;
    this.#base = { graph: workflow.graph, canonical: exported };
    this.#show({ text: exported, issues, state: 'synced', failure: null });
    await this.#save();
  }

  async #save(): Promise<void> {
    const { text } = this.#snapshot;
    if (text === null || text === this.#savedText) return;
    await this.#ports.save(text);
    this.#savedText = text;
  }

  #show(change: Partial<TextSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    if (!this.#isClosed) for (const listener of this.#listeners) listener();
  }
}
