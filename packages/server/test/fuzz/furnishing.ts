import type { Member } from '../support/whole-app.ts';
import { askingNode, password } from './hints.ts';
import type { Caller, Pool } from './pool.ts';

/** The methods that the webhooks accept. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A workflow as text: YAML takes JSON. */
interface Sketch {
  readonly slug: string;
  readonly is_default?: boolean;
  readonly nodes: readonly ({ readonly id: string; readonly type: string } & Readonly<Record<string, unknown>>)[];
  readonly edges: readonly string[];
}

/** Runs. */
function simple(slug: string): Sketch {
  return {
    slug,
    is_default: true,
    nodes: [
      { id: 'hook', type: 'trigger_webhook', methods },
      { id: 'start', type: 'trigger_manual' },
      { id: 'talk', type: 'trigger_chat' },
      { id: 'clock', type: 'trigger_schedule', cron: '0 4 * * *' },
      { id: 'a', type: 'template', template: 'done' },
    ],
    edges: ['hook -> a', 'talk -> a'],
  };
}

/** From one trigger it asks a person, from another it waits for a callback, from the third it fails. */
function waiting(slug: string): Sketch {
  return {
    slug,
    nodes: [
      { id: 'start', type: 'trigger_manual' },
      { id: 'links', type: 'transform', fields: { yes: `{{ ${askingNode}.approve_url }}` } },
      { id: askingNode, type: 'human_confirmation', prompt: 'Go on?' },
      { id: 'start_wait', type: 'trigger_manual' },
      { id: 'b', type: 'wait', callback: true },
      { id: 'start_failure', type: 'trigger_manual' },
      { id: 'c', type: 'template', template: '{{ trigger.payload.missing.field }}' },
    ],
    edges: ['start -> links', `links -> ${askingNode}`, 'start_wait -> b', 'start_failure -> c'],
  };
}

/** Gives a user objects of every kind before the first request, so that requests can refer to them. */
export class Furnishing {
  readonly #member: Member;
  readonly #caller: Caller;
  readonly #pool: Pool;

  constructor(member: Member, caller: Caller, pool: Pool) {
    this.#member = member;
    this.#caller = caller;
    this.#pool = pool;
  }

  async create(): Promise<void> {
    const [slug, asks, shared, old] = ['of', 'asks-of', 'shared-by', 'old-of'].map((of) => `${of}-${this.#caller}`);
    await this.#workflow(simple(`${slug}`));
    await this.#start(`/api/v1/webhooks/${slug}`, {}, 'completed');
    await this.#workflow(waiting(`${asks}`));
    for (const [trigger_node_id, status] of [
      ['start', 'interrupted'],
      ['start_wait', 'waiting'],
      ['start_failure', 'failed'],
    ] as const)
      await this.#start(`/api/v1/workflows/${asks}/execute/`, { trigger_node_id }, status);
    await this.#workflow({ ...simple(`${shared}`), is_default: false });
    await this.#share(`${shared}`);
    await this.#post('/api/v1/workflows/', { name: 'old', slug: old });
    await this.#member.delete(`/api/v1/workflows/${old}/`);
    await this.#read('/api/v1/trash/');
    await this.#post(`/api/v1/workflows/${slug}/variables/`, { name: 'limit', value: 7 });
    // The first user is an admin.
    if (this.#caller === 'first') await this.#post('/api/v1/variables/', { name: 'limit', value: 7 });
    if (this.#caller === 'first') await this.#read('/api/v1/users/');
    const detail = { provider_type: 'provider_b', api_key: 'a secret key' };
    await this.#post('/api/v1/credentials/', { name: 'model', credential_type: 'llm', detail });
    await this.#post('/api/v1/users/me/keys/', { name: 'spare' });
    await this.#member.patch('/api/v1/users/me/', { password });
  }

  async #workflow({ slug, ...sketch }: Sketch): Promise<void> {
    const yaml_str = JSON.stringify({ name: slug, slug, ...sketch });
    await this.#post('/api/v1/workflows/import/', { yaml_str });
    for (const part of ['', 'nodes/', 'edges/', 'versions/'])
      await this.#read(`/api/v1/workflows/${slug}/${part}`, slug);
  }

  async #share(slug: string): Promise<void> {
    const username = this.#caller === 'first' ? 'second' : 'first';
    await this.#post(`/api/v1/workflows/${slug}/collaborators/`, { username, role: 'editor' }, slug);
    this.#pool.share(slug);
  }

  async #post(path: string, body: object, slug?: string): Promise<unknown> {
    const answer = await this.#member.post(path, body);
    if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
    this.#pool.learn(answer.body, { caller: this.#caller, slug });
    return answer.body;
  }

  async #read(path: string, slug?: string): Promise<unknown> {
    const { body, text } = await this.#member.get(path);
    this.#pool.learn(body, { caller: this.#caller, slug });
    this.#pool.learnLinks(text, { caller: this.#caller, slug });
    return body;
  }

  /** Starts an execution and waits until it has a status. */
  async #start(path: string, body: object, wanted: string): Promise<void> {
    const { execution_id: id } = (await this.#post(path, body)) as { readonly execution_id: string };
    for (;;) {
      const { status } = (await this.#read(`/api/v1/executions/${id}/`)) as { readonly status: string };
      if (status === wanted) return;
      if (!['pending', 'running'].includes(status)) throw new Error(`${path}: ${status}, but should be ${wanted}`);
    }
  }
}
