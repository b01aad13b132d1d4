import { firstNewId } from '@millrace/core/editing';
import { type FieldDraft, noDraft } from './field-draft.ts';

/** A value that the service would reject. It stays in its field. */
export interface HeldEdit {
  readonly value: unknown;
  readonly reason: string;
}

/** The node that fields belong to. */
export interface FieldOwner {
  readonly id: number;
  readonly node_id: string;
  readonly component_type: string;
}

interface NodeDraftsOptions {
  readonly subscribe: (listener: () => void) => () => void;
  readonly onChange: () => void;
  readonly stored: Omit<StoredNode, 'owner'>;
}

/** What is typed into the fields of one node and is not stored. */
export class NodeDrafts {
  readonly #drafts: Map<string, FieldDraft>;
  readonly #held: Map<string, HeldEdit>;
  readonly #bases: Map<string, unknown>;
  readonly #onChange: () => void;
  #flush: (() => void) | null = null;
  readonly subscribe: (listener: () => void) => () => void;

  constructor({ subscribe, onChange, stored }: NodeDraftsOptions) {
    this.subscribe = subscribe;
    this.#onChange = onChange;
    this.#drafts = new Map(stored.texts);
    this.#held = new Map(stored.held);
    this.#bases = new Map(stored.bases.map(([key, value]) => [key, value]));
  }

  /** Texts that cannot be stored, by the path of their field in the form. */
  get texts(): ReadonlyMap<string, FieldDraft> {
    return new Map([...this.#drafts].filter(([, { problem }]) => problem !== null));
  }

  /** The texts to show again on another page: those, and the texts of values that cannot be stored. */
  get lastingTexts(): ReadonlyMap<string, FieldDraft> {
    const held = new Set([...this.#held.keys()].map((path) => formPath(path)));
    const isLasting = (path: string, { text, problem }: FieldDraft): boolean =>
      problem !== null || (text !== null && held.has(keyOf(path)));
    return new Map([...this.#drafts].filter(([path, draft]) => isLasting(path, draft)));
  }

  /** Values that cannot be stored, by the path of their field in the config. */
  get held(): ReadonlyMap<string, HeldEdit> {
    return this.#held;
  }

  draft(path: string): FieldDraft {
    return this.#drafts.get(path) ?? noDraft;
  }

  setDraft(path: string, draft: FieldDraft): void {
    if (draft === this.draft(path)) return;
    if (isNothing(draft)) this.#drafts.delete(path);
    else this.#drafts.set(path, draft);
    this.#onChange();
  }

  /** Removes the drafts of the fields inside a field. */
  clearInside(outer: string): void {
    const inside = [...this.#drafts.keys()].filter(
      (path) => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`),
    );
    for (const path of inside) this.#drafts.delete(path);
    if (inside.length > 0) this.#onChange();
  }

  /** The items of a list have other places. @param order the earlier place of each item */
  arrange(list: string, order: readonly number[]): void {
    const inside = [...this.#drafts].filter(([path]) => path.startsWith(`${list}[`));
    for (const [path] of inside) this.#drafts.delete(path);
    for (const [path, draft] of inside) {
      const [place = '', rest] = path.slice(list.length + 1).split(/\](.*)/s);
      const now = order.indexOf(Number(place));
      if (now !== -1) this.#drafts.set(`${list}[${now}]${rest}`, draft);
    }
    if (inside.length > 0) this.#onChange();
  }

  /** What was stored of each field when its typing began, by key: others may change it meanwhile. */
  get bases(): ReadonlyMap<string, unknown> {
    return this.#bases;
  }

  /** The typing of a field begins. */
  begin(key: string, stored: unknown): void {
    if (!this.#bases.has(key)) this.#bases.set(key, stored);
  }

  /** What is stored of a field has changed, and not by others: what is typed into it begins with that. */
  restart(key: string, stored: unknown): void {
    if (this.#isMarked(key)) this.#bases.set(key, stored);
    else this.#bases.delete(key);
    this.#onChange();
  }

  /** What was typed into a field is stored, or given up. */
  end(key: string): void {
    if (!this.#isMarked(key)) this.#bases.delete(key);
  }

  #isMarked(key: string): boolean {
    const paths = [...this.texts.keys(), ...[...this.#held.keys()].map(formPath)];
    return paths.some((path) => keyOf(path) === key);
  }

  /** Whether edits wait for a pause of typing. */
  get isWaiting(): boolean {
    return this.#flush !== null;
  }

  /** @param flush passes on the edits that wait; null if there are none */
  setWaiting(flush: (() => void) | null): void {
    const before = this.#flush;
    this.#flush = flush;
    if ((before === null) !== (flush === null)) this.#onChange();
  }

  flush(): void {
    this.#flush?.();
  }

  clear(): void {
    this.#drafts.clear();
    this.#held.clear();
    this.#bases.clear();
    this.#onChange();
  }

  /** @param edit null if the value of the field can be stored */
  hold(path: string, edit: HeldEdit | null): void {
    if (edit === null && !this.#held.has(path)) return;
    if (edit === null) this.#held.delete(path);
    else this.#held.set(path, edit);
    this.#onChange();
  }
}

/** The key of the field of a form that contains the field at a path. */
export function keyOf(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? path;
}

function isNothing({ mode, isChosen, text, aside }: FieldDraft): boolean {
  return mode === null && !isChosen && text === null && aside === null;
}

interface KnownNode {
  owner: FieldOwner;
  readonly drafts: NodeDrafts;
}

/** A field with something in it that cannot be stored. */
export interface UnsavedField {
  readonly owner: FieldOwner;
  /** The path of the field in the form. */
  readonly path: string;
  readonly problem: string;
}

/** What is typed into the fields of one node, as it survives the page. It is JSON. */
interface StoredNode {
  readonly owner: FieldOwner;
  readonly texts: readonly (readonly [path: string, draft: FieldDraft])[];
  readonly held: readonly (readonly [path: string, edit: HeldEdit])[];
  /** What was stored when the typing began, by the key of the field. Undefined is omitted. */
  readonly bases: readonly (readonly [key: string, value?: unknown])[];
}

/** Where the drafts of a page survive it. */
export interface FieldStorage {
  load(): readonly StoredNode[];
  save(nodes: readonly StoredNode[]): void;
}

const noStorage: FieldStorage = { load: () => [], save: () => undefined };

/**
 * What is typed into the fields of a workflow's nodes and is not stored, also while their forms are closed. A node that
 * was just added gets another id when it is saved, and a node may be renamed: each is found by either.
 */
export class FieldDrafts {
  readonly #nodes: KnownNode[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #storage: FieldStorage;
  #unsaved: readonly UnsavedField[] = [];

  constructor(storage: FieldStorage = noStorage) {
    this.#storage = storage;
    for (const { owner, ...stored } of storage.load()) this.#add(owner, stored);
    this.#unsaved = this.#current();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The fields that are not saved; the same list until it changes. */
  readonly getUnsaved = (): readonly UnsavedField[] => this.#unsaved;

  /** Whether edits wait for a pause of typing. */
  readonly isWaiting = (): boolean => this.#nodes.some(({ drafts }) => drafts.isWaiting);

  /** Passes on at once what waits for a pause of typing. */
  flush(): void {
    for (const { drafts } of this.#nodes) drafts.flush();
  }

  of(owner: FieldOwner): NodeDrafts {
    const found =
      this.#nodes.find((known) => isNamedAlike(known, owner)) ?? this.#nodes.find((known) => is(known, owner));
    if (found === undefined) return this.#add(owner);
    found.owner = owner;
    return found.drafts;
  }

  /** What is stored has changed, and not by others: an undo. @param storedOf what is stored now */
  restart(storedOf: (owner: FieldOwner, key: string) => unknown): void {
    for (const { owner, drafts } of this.#nodes)
      for (const key of [...drafts.bases.keys()]) drafts.restart(key, storedOf(owner, key));
  }

  /** A node with this name is new: it has nothing to do with an earlier one. */
  forget(nodeId: string): void {
    for (const { owner, drafts } of this.#nodes) if (owner.node_id === nodeId) drafts.clear();
  }

  #add(owner: FieldOwner, stored: Omit<StoredNode, 'owner'> = { texts: [], held: [], bases: [] }): NodeDrafts {
    const drafts = new NodeDrafts({ subscribe: this.subscribe, onChange: () => this.#changed(), stored });
    this.#nodes.push({ owner, drafts });
    return drafts;
  }

  #current(): readonly UnsavedField[] {
    return this.#nodes.flatMap(({ owner, drafts }) => [
      ...[...drafts.texts].map(([path, { problem }]) => ({ owner, path, problem: problem ?? '' })),
      ...[...drafts.held].map(([path, { reason }]) => ({ owner, path: formPath(path), problem: reason })),
    ]);
  }

  #changed(): void {
    const unsaved = this.#current();
    const isSame = unsaved.length === 0 && this.#unsaved.length === 0;
    if (!isSame) {
      this.#unsaved = unsaved;
      this.#storage.save(this.#stored());
    }
    for (const listener of this.#listeners) listener();
  }

  #stored(): readonly StoredNode[] {
    const all = this.#nodes.map(({ owner, drafts: { lastingTexts, held, bases } }) => ({
      ...{ owner, texts: [...lastingTexts], held: [...held], bases: [...bases].map(storedBase) },
    }));
    return all.filter(({ texts, held }) => texts.length + held.length > 0);
  }
}

/** JSON has no undefined: it would become null in a list. */
function storedBase([key, value]: readonly [string, unknown]): readonly [key: string, value?: unknown] {
  return value === undefined ? [key] : [key, value];
}

/** The path in the form of a field at a path in the config. */
export function formPath(path: string): string {
  return path.replace(/^extra_config\./, '');
}

function isNamedAlike({ owner }: KnownNode, { node_id: name, component_type: type }: FieldOwner): boolean {
  return owner.node_id === name && owner.component_type === type;
}

/** Temporary ids are given again. */
function is({ owner }: KnownNode, { id, component_type: type }: FieldOwner): boolean {
  return id < firstNewId && owner.id === id && owner.component_type === type;
}
