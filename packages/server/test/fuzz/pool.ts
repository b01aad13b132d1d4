/** One of the two who share the service. */
export type Caller = 'first' | 'second';

interface Entry {
  readonly kind: string;
  value: string;
  owner: Caller;
  /** The workflow that a node or an edge belongs to. */
  within: string | undefined;
  isDeleted: boolean;
  /** Whether others than the owner were ever let in. */
  isShared: boolean;
}

/** Who asks, and for what. */
export interface Seen {
  readonly caller: Caller;
  /** The workflow of the request's path. */
  readonly slug: string | undefined;
  /** Whether the answer says that it made something. */
  readonly isNew?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

interface Kind {
  readonly kind: string;
  readonly by: readonly string[];
  readonly name: string;
  /** What else must hold. */
  readonly when?: (body: Fields) => boolean;
}

/** How an object of an answer is known, by fields that only its kind has; and which field names it. */
const kinds: readonly Kind[] = [
  { kind: 'slug', by: ['slug', 'node_count'], name: 'slug' },
  { kind: 'workflow_id', by: ['slug', 'node_count'], name: 'id' },
  { kind: 'node', by: ['node_id', 'component_type'], name: 'node_id' },
  {
    kind: 'scheduled node',
    by: ['node_id', 'component_type'],
    name: 'node_id',
    when: (body) => body.component_type === 'trigger_schedule',
  },
  { kind: 'edge', by: ['edge_type', 'edge_label'], name: 'id' },
  { kind: 'execution', by: ['execution_id'], name: 'execution_id' },
  { kind: 'credential', by: ['credential_type', 'detail'], name: 'id' },
  // Only the answer that makes a key shows it: so nobody's own key comes in here, to be revoked.
  { kind: 'key', by: ['prefix', 'key'], name: 'id' },
  { kind: 'username', by: ['username', 'is_admin'], name: 'username' },
  { kind: 'collaborator', by: ['username', 'role'], name: 'username' },
  { kind: 'trashed', by: ['deleted_at', 'slug'], name: 'id' },
  { kind: 'version', by: ['version', 'node_count'], name: 'version' },
];
const inWorkflow = new Set(['node', 'scheduled node', 'edge', 'collaborator', 'version']);

/** What the answers told of: so that later requests name what exists, and what did. */
export class Pool {
  readonly #entries: Entry[] = [];

  /** The newest first, the caller's own before those of others, the deleted last; null when there are none. */
  choose(kind: string, pick: number, { caller, slug }: Seen): string | null {
    const rank = ({ owner, isDeleted }: Entry): number => (isDeleted ? 2 : 0) + (owner === caller ? 0 : 1);
    const candidates = this.#entries
      .filter((entry) => this.#isOf(entry, kind) && (!inWorkflow.has(kind) || entry.within === slug))
      .reverse()
      .sort((a, b) => rank(a) - rank(b));
    return candidates[pick % Math.max(1, candidates.length)]?.value ?? null;
  }

  #isOf({ kind, value }: Entry, wanted: string): boolean {
    if (wanted !== 'scheduled workflow') return kind === wanted;
    return kind === 'slug' && this.#entries.some((other) => other.kind === 'scheduled node' && other.within === value);
  }

  /** Takes in every object of an answer. */
  learn(body: unknown, seen: Seen): void {
    if (Array.isArray(body)) for (const item of body) this.learn(item, seen);
    else if (body !== null && typeof body === 'object') this.#learnObject(body as Fields, seen);
  }

  #learnObject(body: Fields, seen: Seen): void {
    for (const { kind, by, name, when = () => true } of kinds) {
      // What is in the trash is no workflow to be named, though it looks like one.
      const isThere = kind === 'trashed' || !Object.hasOwn(body, 'deleted_at');
      if (isThere && by.every((field) => Object.hasOwn(body, field)) && when(body))
        this.#add(kind, String(body[name]), seen);
    }
    if (body.is_public === true) this.share(String(body.slug));
    // Payloads and outputs may hold anything; only lists and details hold objects of the API.
    for (const field of ['items', 'nodes', 'edges']) if (Array.isArray(body[field])) this.learn(body[field], seen);
  }

  #add(kind: string, value: string, { caller, slug, isNew = false }: Seen): void {
    const within = inWorkflow.has(kind) ? slug : undefined;
    const known = this.#find(kind, value, within);
    if (known === undefined) {
      this.#entries.push({ kind, value, owner: caller, within, isDeleted: false, isShared: false });
    } else if (known.isDeleted || isNew) Object.assign(known, { isDeleted: false, isShared: false, owner: caller });
  }

  #find(kind: string, value: string, within?: string): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.value === value && entry.within === within);
  }

  /** It was deleted: it is still asked for, after everything that is there. */
  forget(kind: string, value: string, within?: string): void {
    const entry = this.#find(kind, value, inWorkflow.has(kind) ? within : undefined);
    if (entry !== undefined) entry.isDeleted = true;
  }

  /** A workflow has another name now. */
  rename(slug: string, renamed: string): void {
    for (const entry of this.#entries) {
      if (entry.kind === 'slug' && entry.value === slug) entry.value = renamed;
      if (entry.within === slug) entry.within = renamed;
    }
  }

  /** Others were let in. */
  share(slug: string): void {
    const entry = this.#find('slug', slug);
    if (entry !== undefined) entry.isShared = true;
  }

  /** Whether this workflow is somebody else's who never let anyone in. */
  isForeign(slug: string, caller: Caller): boolean {
    const entry = this.#find('slug', slug);
    return entry !== undefined && !entry.isDeleted && !entry.isShared && entry.owner !== caller;
  }
}
