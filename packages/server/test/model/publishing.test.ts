import type { JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Clockwork, type Process } from '../support/clockwork.ts';

/** The number of sequences: `npm run test:fuzz` runs 250. */
const wanted = Math.ceil(Number(process.env.MODEL_RUNS ?? 40) / 4);

/** The behaviour of one version of the workflow. */
interface Content {
  /** The output of its steps. */
  readonly word: string;
  /** Whether it has triggers other than the schedule. */
  readonly hasTriggers: boolean;
  readonly isScheduled: boolean;
}

const pick = fc.nat({ max: 1000 });
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('edit', 'schedule', 'import'), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('publish', 'roll back', 'unpublish', 'restore'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'trash'), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('webhook', 'chat', 'call', 'error', 'tick', 'execute', 'draft', 'number', 'replay'),
      pick,
    }),
  },
);

type Kind = (typeof command extends fc.Arbitrary<infer Drawn> ? Drawn : never)['kind'];

/** Each trigger has its own step, whose output is the word of its version. */
const triggers = ['webhook', 'chat', 'workflow', 'error', 'manual'] as const;

/** One workflow with every kind of trigger, and the model of what is stored and which version runs. */
class World {
  readonly #clockwork: Clockwork;
  readonly #slug: string;
  #process: Process;
  /** The content of each version: that of version n at n - 1. */
  readonly #contents: Content[];
  #published: number | null = null;
  #words = 0;
  /** A run of the workflow, for replays. */
  #someRun: { readonly id: string; readonly version: number } | null = null;

  private constructor(clockwork: Clockwork, process: Process, slug: string) {
    this.#clockwork = clockwork;
    this.#process = process;
    this.#slug = slug;
    const first = { word: 'w0', hasTriggers: true, isScheduled: false };
    this.#contents = [{ ...first, hasTriggers: false }, first];
  }

  static async start(clockwork: Clockwork, process: Process, slug: string): Promise<World> {
    const world = new World(clockwork, process, slug);
    await world.#import(slug, textOf(slug, 'w0'));
    const { id } = (await world.#api.get(world.#path)).body as JsonObject;
    const call = `  - {id: start, type: trigger_manual}\n  - {id: call, type: workflow, workflow: ${slug}}\n`;
    await world.#import(`${slug}-caller`, `name: Caller\nnodes:\n${call}edges:\n  - start -> call\n`);
    const rules = '[{field: trigger.text, operator: equals, value: never}]';
    const fail = `  - {id: start, type: trigger_manual}\n  - {id: fail, type: assertion, rules: ${rules}}\n`;
    await world.#import(`${slug}-failing`, `name: Failing\nnodes:\n${fail}edges:\n  - start -> fail\n`);
    await world.#api.patch(`/api/v1/workflows/${slug}-failing/`, { error_handler_workflow_id: id ?? null });
    return world;
  }

  get process(): Process {
    return this.#process;
  }

  async perform(kind: Kind, drawn: number): Promise<void> {
    // Keeps the minutes of a schedule and of a tick apart, and lets the scheduler see the last change.
    await this.#clockwork.pass(250, 250);
    const known = await this.#runIds();
    const expected = await this.#perform(kind, drawn);
    const fresh = await this.#details((await this.#runIds()).filter((id) => !known.includes(id)));
    const say = fresh.map(({ workflow_version: version, final_output: word }) => ({ version, word }));
    const versions = expected === null ? [] : [{ version: expected, word: this.#contentOf(expected).word }];
    expect(say, kind).toEqual(versions);
    if (fresh[0] !== undefined) this.#someRun = { id: String(fresh[0].execution_id), version: expected ?? 0 };
    const { published_version, has_unpublished_changes, version } = (await this.#api.get(this.#path))
      .body as JsonObject;
    expect({ published_version, has_unpublished_changes, version }, kind).toEqual({
      published_version: this.#published,
      has_unpublished_changes: this.#published !== null && this.#published !== this.#newest,
      version: this.#newest,
    });
  }

  /** Deletes the workflow, so that nothing fires in later sequences. */
  async end(): Promise<void> {
    await this.#api.delete(this.#path);
  }

  /** The version that the only new run must have; null if there must be none. */
  async #perform(kind: Kind, drawn: number): Promise<number | null> {
    const stored = 1 + (drawn % this.#newest);
    switch (kind) {
      case 'edit':
        return this.#edit();
      case 'schedule':
        return this.#toggleSchedule();
      case 'import':
        return this.#reimport(drawn % 2 === 0);
      case 'publish':
        await this.#ok(this.#api.post(`${this.#path}publish/`));
        this.#published = this.#newest;
        return null;
      case 'roll back':
        await this.#ok(this.#api.post(`${this.#path}publish/`, { version: stored }));
        this.#published = stored;
        return null;
      case 'unpublish':
        await this.#ok(this.#api.post(`${this.#path}unpublish/`));
        this.#published = null;
        return null;
      case 'restore':
        return this.#restore(stored);
      case 'restart':
        await this.#process.stop();
        this.#process = await this.#clockwork.start();
        return null;
      case 'trash':
        return this.#trash();
      default:
        return this.#trigger(kind, stored);
    }
  }

  /** Starts the workflow in one of the possible ways. */
  async #trigger(kind: Kind, stored: number): Promise<number | null> {
    const api = this.#api;
    const effective = this.#published ?? this.#newest;
    const ifStarted = (version: number) => (this.#contentOf(version).hasTriggers ? version : null);
    const byHand = (version?: number | 'draft') =>
      api.post(`${this.#path}execute/`, { wait: true, trigger_node_id: 'manual', ...(version && { version }) });
    switch (kind) {
      case 'webhook':
        await api.post(`/api/v1/webhooks/${this.#slug}`, {});
        break;
      case 'chat':
        await api.post(`${this.#path}chat/`, { text: 'Hello' });
        break;
      case 'call':
        await api.post(`/api/v1/workflows/${this.#slug}-caller/execute/`, { wait: true });
        break;
      case 'error':
        await api.post(`/api/v1/workflows/${this.#slug}-failing/execute/`, { wait: true });
        break;
      case 'tick':
        await this.#clockwork.pass(60_000, 10_000);
        return this.#contentOf(effective).isScheduled ? effective : null;
      case 'execute':
        await byHand();
        break;
      case 'draft':
        await byHand('draft');
        return ifStarted(this.#newest);
      case 'number':
        await byHand(stored);
        return ifStarted(stored);
      default:
        return this.#replay();
    }
    await this.#clockwork.settle();
    // Without its own trigger, a webhook starts at the only trigger, which can be the schedule.
    if (kind === 'webhook' && this.#contentOf(effective).isScheduled) return effective;
    return ifStarted(effective);
  }

  /** Replays an earlier run: with its version, whatever is published now. */
  async #replay(): Promise<number | null> {
    const run = this.#someRun;
    if (run === null) return null;
    const { trigger_node_id: nodeId } = (await this.#api.get(`/api/v1/executions/${run.id}/`)).body as JsonObject;
    await this.#ok(this.#api.post(`/api/v1/executions/${run.id}/replay/`, { from_node: `say_${nodeId}` }));
    await this.#clockwork.settle();
    return run.version;
  }

  async #edit(): Promise<null> {
    const word = this.#nextWord();
    const nodes = [...triggers.map((name) => `say_${name}`), 'say_tick'];
    const present = (await this.#api.get(`${this.#path}nodes/`)).body as JsonObject[];
    const operations = nodes
      .filter((name) => present.some(({ node_id: id }) => id === name))
      .map((name) => ({
        op: 'update_node',
        node_id: name,
        changes: { config: { extra_config: { template: word } } },
      }));
    if (operations.length === 0) return null;
    await this.#ok(this.#api.post(`${this.#path}graph/`, { version: this.#newest, operations }));
    this.#contents.push({ ...this.#contentOf(this.#newest), word });
    return null;
  }

  /** Adds or deletes a schedule. */
  async #toggleSchedule(): Promise<null> {
    const { word, hasTriggers, isScheduled } = this.#contentOf(this.#newest);
    const tick = { component_type: 'trigger_schedule', config: { extra_config: { interval_seconds: 60 } } };
    const say = { component_type: 'template', config: { extra_config: { template: word } } };
    const operations = isScheduled
      ? ['tick', 'say_tick'].map((name) => ({ op: 'delete_node', node_id: name }))
      : [
          { op: 'create_node', node: { node_id: 'tick', ...tick } },
          { op: 'create_node', node: { node_id: 'say_tick', ...say } },
          { op: 'create_edge', edge: { source_node_id: 'tick', target_node_id: 'say_tick' } },
        ];
    await this.#ok(this.#api.post(`${this.#path}graph/`, { version: this.#newest, operations }));
    this.#contents.push({ word, hasTriggers, isScheduled: !isScheduled });
    return null;
  }

  async #reimport(publish: boolean): Promise<null> {
    const word = this.#nextWord();
    await this.#import(this.#slug, textOf(this.#slug, word), publish);
    this.#contents.push({ word, hasTriggers: true, isScheduled: false });
    if (publish) this.#published = this.#newest;
    return null;
  }

  async #restore(stored: number): Promise<null> {
    const answer = await this.#ok(this.#api.post(`${this.#path}versions/${stored}/restore/`));
    // Restoring the current content creates no version.
    if (Number((answer.body as JsonObject).version) > this.#newest) this.#contents.push(this.#contentOf(stored));
    else expect(visibleIn(this.#contentOf(stored))).toEqual(visibleIn(this.#contentOf(this.#newest)));
    return null;
  }

  /** Deletes the workflow and restores it. */
  async #trash(): Promise<null> {
    const { id } = (await this.#api.get(this.#path)).body as JsonObject;
    await this.#api.delete(this.#path);
    await this.#ok(this.#api.post(`/api/v1/trash/${id}/restore/`));
    return null;
  }

  #nextWord(): string {
    this.#words += 1;
    return `w${this.#words}`;
  }

  get #newest(): number {
    return this.#contents.length;
  }

  #contentOf(version: number): Content {
    const content = this.#contents[version - 1];
    if (content === undefined) throw new Error(`there is no version ${version}`);
    return content;
  }

  get #path(): string {
    return `/api/v1/workflows/${this.#slug}/`;
  }

  get #api() {
    return this.#process.api;
  }

  async #import(slug: string, yaml: string, publish = false): Promise<void> {
    await this.#ok(this.#api.post('/api/v1/workflows/import/', { yaml_str: yaml, slug, publish }));
  }

  async #ok<Sent extends { readonly status: number; readonly text: string }>(sent: Promise<Sent>): Promise<Sent> {
    const answer = await sent;
    if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
    return answer;
  }

  async #runIds(): Promise<readonly string[]> {
    const list = await this.#api.get(`/api/v1/executions/?workflow_slug=${this.#slug}&limit=1000`);
    return (list.body as { items: JsonObject[] }).items.map(({ execution_id: id }) => String(id));
  }

  async #details(ids: readonly string[]): Promise<readonly JsonObject[]> {
    const details = ids.map((id) => this.#api.get(`/api/v1/executions/${id}/`));
    return (await Promise.all(details)).map(({ body }) => body as JsonObject);
  }
}

/** The observable content of a stored version: without a trigger no step outputs the word. */
function visibleIn(content: Content): Partial<Content> {
  const { hasTriggers, isScheduled } = content;
  return hasTriggers || isScheduled ? content : { hasTriggers, isScheduled };
}

/** A workflow with every kind of trigger but a schedule. */
function textOf(slug: string, word: string): string {
  const nodes = triggers.map(
    (name) => `  - {id: ${name}, type: trigger_${name}}\n  - {id: say_${name}, type: template, template: ${word}}\n`,
  );
  const edges = triggers.map((name) => `  - ${name} -> say_${name}\n`);
  return `name: Published\nslug: ${slug}\nnodes:\n${nodes.join('')}edges:\n${edges.join('')}`;
}

test('every run has the version that the model predicts, whatever was edited, published and restored before', async () => {
  const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
  let process = await clockwork.start();
  let sequences = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      sequences += 1;
      const world = await World.start(clockwork, process, `w${sequences}`);
      try {
        for (const { kind, pick: drawn } of commands) await world.perform(kind, drawn);
      } finally {
        process = world.process;
        await world.end();
      }
    }),
    { numRuns: wanted },
  );
});
