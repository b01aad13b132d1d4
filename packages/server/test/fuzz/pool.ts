/** One of the two users of the service. */
export type Caller = 'first' | 'second';

interface Entry {
  readonly kind: string;
  value: string;
  owner: Caller;
  /** The workflow that a node or an edge belongs to. */
  within: string | undefined;
  isDeleted: boolean;
  /** Whether it was ever shared. */
  isShared: boolean;
  /** Of an execution, as the last response had it. */
  status: string | null;
}

/** The caller and the context of a response. */
export interface Seen {
  readonly caller: Caller;
  /** The workflow of the request's path. */
  readonly slug: string | undefined;
  /** Whether the response reports a new object. */
  readonly isNew?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

interface Kind {
  readonly kind: string;
  readonly by: readonly string[];
  readonly name: string;
  /** An additional condition. */
  readonly when?: (body: Fields) => boolean;
}

/** How an object in a response is recognised, by fields that only its kind has, and which field identifies it. */
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
  // Only the response that creates a key contains it, so the callers' own keys are never revoked.
  { kind: 'key', by: ['prefix', 'key'], name: 'id' },
  { kind: 'username', by: ['username', 'is_admin'], name: 'username' },
  { kind: 'collaborator', by: ['username', 'role'], name: 'username' },
  { kind: 'variable', by: ['name', 'is_secret'], name: 'name', when: (body) => !Object.hasOwn(body, 'slug') },
  { kind: 'trashed', by: ['deleted_at', 'slug'], name: 'id' },
  { kind: 'version', by: ['version', 'node_count'], name: 'version' },
];
/** Executions by the status that a request needs. */
const executionsBy: Readonly<Record<string, readonly string[]>> = {
  'open execution': ['pending', 'running', 'waiting', 'interrupted'],
  'ended execution': ['completed', 'failed'],
  'failed execution': ['failed'],
  'interrupted execution': ['interrupted'],
};

/** The secret URLs of waiting steps, which outputs of steps and lists of waits contain. */
const secretUrl = /\/api\/v1\/(callbacks|answers)\/([\w.-]+)/g;

const inWorkflow = new Set(['node', 'scheduled node', 'edge', 'collaborator', 'version']);

/** The objects seen in responses, so that later requests can refer to existing and deleted ones. */
export class Pool {
  readonly #entries: Entry[] = [];

  /**
   * Chooses from the newest first, the caller's own before those of others, deleted ones last; null if there are none.
   */
  choose(kind: string, pick: number, { caller, slug }: Seen): string | null {
    const rank = ({ owner, isDeleted }: Entry): number => (isDeleted ? 2 : 0) + (owner === caller ? 0 : 1);
    const candidates = this.#entries
      .filter((entry) => this.#isOf(entry, kind) && (!inWorkflow.has(kind) || entry.within === slug))
      .reverse()
      .sort((a, b) => rank(a) - rank(b));
    return candidates[pick % Math.max(1, candidates.length)]?.value ?? null;
  }

  #isOf({ kind, value, status }: Entry, wanted: string): boolean {
    const statuses = executionsBy[wanted];
    if (statuses !== undefined) return kind === 'execution' && status !== null && statuses.includes(status);
    if (wanted !== 'scheduled workflow') return kind === wanted;
    return kind === 'slug' && this.#entries.some((other) => other.kind === 'scheduled node' && other.within === value);
  }

  /** Records every object of a response. */
  learn(body: unknown, seen: Seen): void {
    if (Array.isArray(body)) for (const item of body) this.learn(item, seen);
    else if (body !== null && typeof body === 'object') this.#learnObject(body as Fields, seen);
  }

  /** Records the secret URLs in the text of a response. */
  learnLinks(text: string, seen: Seen): void {
    for (const [, kind = '', token = ''] of text.matchAll(secretUrl)) this.#add(kind, token, seen);
  }

  #learnObject(body: Fields, seen: Seen): void {
    for (const { kind, by, name, when = () => true } of kinds) {
      // A workflow in the trash has the same fields, but cannot be referred to by name.
      const isThere = kind === 'trashed' || !Object.hasOwn(body, 'deleted_at');
      if (isThere && by.every((field) => Object.hasOwn(body, field)) && when(body))
        this.#add(kind, String(body[name]), seen);
    }
    const execution = this.#find('execution', String(body.execution_id));
    if (execution !== undefined && typeof body.status === 'string') execution.status = body.status;
    if (body.is_public === true) this.share(String(body.slug));
    // Payloads and outputs may contain anything; only lists and details contain objects of the API.
    for (const field of ['items', 'nodes', 'edges']) if (Array.isArray(body[field])) this.learn(body[field], seen);
  }

  #add(kind: string, value: string, { caller, slug, isNew = false }: Seen): void {
    const within = inWorkflow.has(kind) ? slug : undefined;
    const known = this.#find(kind, value, within);
    if (known === undefined) {
      this.#entries.push({ kind, value, owner: caller, within, isDeleted: false, isShared: false, status: null });
    } else if (known.isDeleted || isNew) Object.assign(known, { isDeleted: false, isShared: false, owner: caller });
  }

  #find(kind: string, value: string, within?: string): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.value === value && entry.within === within);
  }

  /** Marks an object as deleted: requests still refer to it, after all existing ones. */
  forget(kind: string, value: string, within?: string): void {
    const entry = this.#find(kind, value, inWorkflow.has(kind) ? within : undefined);
    if (entry !== undefined) entry.isDeleted = true;
  }

  /** A workflow was renamed. */
  rename(slug: string, renamed: string): void {
    for (const entry of this.#entries) {
      if (entry.kind === 'slug' && entry.value === slug) entry.value = renamed;
      if (entry.within === slug) entry.within = renamed;
    }
  }

  /** A workflow was shared. */
  share(slug: string): void {
    const entry = this.#find('slug', slug);
    if (entry !== undefined) entry.isShared = true;
  }

  /** Whether this workflow belongs to another user and was never shared. */
  isForeign(slug: string, caller: Caller): boolean {
    const entry = this.#find('slug', slug);
    return entry !== undefined && !entry.isDeleted && !entry.isShared && entry.owner !== caller;
  }
}
