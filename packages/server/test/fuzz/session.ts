import { systemTimers, type Timers } from '../../src/ground/clock.ts';
import type { Answer } from '../support/api.ts';
import { type Member, WholeApp } from '../support/whole-app.ts';
import type { Checks } from './checks.ts';
import { Furnishing } from './furnishing.ts';
import { type Caller, Pool, type Seen } from './pool.ts';
import type { Step } from './requests.ts';
import { Existing } from './schema-arbitrary.ts';
import { spoil } from './spoil.ts';

/** Used while no object of a kind exists: a name, or a number. */
const missing = { name: 'missing', id: 999_999 } as const;
const numbered = new Set(['workflow_id', 'trashed', 'edge', 'credential', 'key', 'version']);

/** For the end of an execution that waits for a person, a request to start it waits so long, in milliseconds. */
const resultWaitMs = 30_000;

/** Delays are cut, except for the time limits. */
const hurried: Timers = {
  ...systemTimers,
  after: (ms, fn) => systemTimers.after(ms < 10_000 || ms === resultWaitMs ? Math.min(ms, 50) : ms, fn),
};

/** A request as it is sent. */
interface Request {
  readonly seen: Seen;
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Two users of a new service, who send requests one after the other. */
export class Session {
  readonly #whole: WholeApp;
  readonly #members: Readonly<Record<Caller, Member>>;
  readonly #checks: Checks;
  readonly #pool = new Pool();
  readonly #transcript: string[] = [];
  #failures = 0;

  private constructor(whole: WholeApp, members: Record<Caller, Member>, checks: Checks) {
    this.#whole = whole;
    this.#members = members;
    this.#checks = checks;
  }

  static async start(checks: Checks): Promise<Session> {
    const whole = await WholeApp.start(hurried);
    const members = { first: await whole.member('first', { isAdmin: true }), second: await whole.member('second') };
    const session = new Session(whole, members, checks);
    for (const caller of ['first', 'second'] as const) {
      await new Furnishing(members[caller], caller, session.#pool).create();
    }
    return session;
  }

  async close(): Promise<void> {
    await this.#whole.close();
  }

  /** Sends one request and returns its status. Rejects if the response violates the document. */
  async send(step: Step): Promise<number> {
    const { operation, auth } = step;
    const request = this.#requestOf(step);
    const answer = await this.#inject(step, request);
    this.#note(step, request, answer);
    const ofMissing = await this.#ofMissing(step, request);
    const { body, query } = request;
    const violation =
      this.#checks.issueOf({ operation, auth, body, query, ofMissing }, answer) ?? this.#whole.errors[0];
    if (violation !== undefined && violation !== null)
      throw new Error(`${violation}\nafter:\n${this.#transcript.join('\n')}`);
    if (answer.status < 300) this.#learn(step, request, answer);
    return answer.status;
  }

  /**
   * The response to the same request for a missing workflow; null unless the workflow belongs to another user and was
   * never shared.
   */
  async #ofMissing(step: Step, request: Request): Promise<Pick<Answer, 'status' | 'text'> | null> {
    const { caller, slug } = request.seen;
    if (slug === undefined || !this.#pool.isForeign(slug, caller)) return null;
    const name = step.path.slug === undefined ? 'workflow_slug' : 'slug';
    const path = pathOf(step, { ...request.params, [name]: 'nobodys' });
    const { status, text } = await this.#inject(step, { ...request, path });
    // The webhook's response repeats the name.
    return { status, text: text.replace("'nobodys'", `'${slug}'`) };
  }

  #requestOf(step: Step): Request {
    const { caller, path } = step;
    const outside = { caller, slug: undefined };
    const named = path.slug ?? path.workflow_slug;
    const seen = { caller, slug: named === undefined ? undefined : String(this.#resolve(named, outside)) };
    const params = spareMembers(step, textOf(this.#resolve(path, seen)));
    const body = step.spoiled === null ? step.body : spoil(step.body, step.spoiled);
    return {
      seen,
      params,
      path: pathOf(step, params),
      query: textOf(this.#resolve(step.query, seen)),
      // As transmitted, without undefined values.
      body: body === undefined ? undefined : JSON.parse(JSON.stringify(this.#resolve(body, seen))),
    };
  }

  /** Replaces the placeholders by existing objects. */
  #resolve(value: unknown, seen: Seen): unknown {
    if (value instanceof Existing) {
      const chosen = this.#pool.choose(value.kind, value.pick, seen);
      if (numbered.has(value.kind)) return chosen === null ? missing.id : Number(chosen);
      return chosen ?? missing.name;
    }
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item, seen));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#resolve(item, seen)]));
  }

  #inject({ operation, caller, auth }: Step, { path, query, body }: Request): Promise<Answer> {
    const authorization = { 'own key': undefined, 'wrong key': 'Bearer mr_wrong', 'no key': '' }[auth];
    // Each failed authentication uses a new address, because the limit per address is covered by another test.
    if (auth !== 'own key') this.#failures += 1;
    const remoteAddress = `127.0.${this.#failures >> 8}.${this.#failures & 255}`;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return this.#members[caller].inject({
      method: operation.method as 'GET',
      url: path,
      query: { ...query },
      remoteAddress,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
      },
      ...(payload !== undefined && { payload }),
    });
  }

  #note({ operation, caller, auth }: Step, { path, query, body }: Request, { status, text }: Answer): void {
    const shown = [path, show(query), show(body)].join(' ').trim();
    this.#transcript.push(`${caller} with ${auth}: ${operation.method} ${shown}\n  -> ${status} ${text.slice(0, 300)}`);
  }

  #learn({ operation }: Step, { seen, params }: Request, { status, body, text }: Answer): void {
    const { slug } = seen;
    if (operation.method === 'DELETE') this.#forget(operation, params, slug);
    if (slug !== undefined && operation.path.endsWith('/collaborators/')) this.#pool.share(slug);
    if (slug !== undefined && operation.name === 'PATCH /api/v1/workflows/{slug}/') {
      this.#pool.rename(slug, (body as { readonly slug: string }).slug);
    }
    // Its name may have belonged to another user, and been deleted in a batch.
    this.#pool.learn(body, { ...seen, isNew: status === 201 });
    if (operation.path.startsWith('/api/v1/executions/')) this.#pool.learnLinks(text, seen);
    // A secret URL works once.
    for (const kind of ['callbacks', 'answers'])
      if (operation.path.startsWith(`/api/v1/${kind}/`)) this.#pool.forget(kind, params.token ?? '');
    // Its collaborators are restored with it.
    if (operation.name === 'POST /api/v1/trash/{workflow_id}/restore/') {
      this.#pool.share((body as { readonly slug: string }).slug);
    }
  }

  #forget({ path }: Step['operation'], params: Readonly<Record<string, string>>, slug: string | undefined): void {
    const kinds = {
      node_id: 'node',
      edge_id: 'edge',
      key_id: 'key',
      credential_id: 'credential',
      username: slug === undefined ? 'username' : 'collaborator',
      workflow_id: 'trashed',
    };
    const inner = Object.entries(kinds).find(([name]) => params[name] !== undefined);
    if (inner !== undefined) this.#pool.forget(inner[1], params[inner[0]] ?? '', slug);
    // The history of a chat is deleted without its workflow.
    else if (slug !== undefined && path.endsWith('{slug}/')) this.#pool.forget('slug', slug);
  }
}

/** Both users stay: a deleted one cannot continue, and their objects would change owner. */
function spareMembers({ operation }: Step, params: Record<string, string>): Record<string, string> {
  if (operation.name !== 'DELETE /api/v1/users/{username}/' || !/^(first|second)$/i.test(params.username ?? ''))
    return params;
  return { ...params, username: missing.name };
}

function pathOf({ operation, path, hasSlash }: Step, params: Readonly<Record<string, string>>): string {
  const full = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    // Values without a name are written as transmitted.
    return path[name] instanceof Existing ? encodeURIComponent(params[name] ?? '') : (params[name] ?? '');
  });
  return hasSlash ? full : full.replace(/\/$/, '');
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text === '{}' ? '' : text.slice(0, 1_000);
}

/** The values of a query or path as text, without those that are omitted. */
function textOf(values: unknown): Record<string, string> {
  const given = Object.entries(values as object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
