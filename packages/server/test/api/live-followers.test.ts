import type { JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position } from '../../src/live/history.ts';
import { Hub } from '../../src/live/hub.ts';
import type { Api } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';

const clockAt = (at: number) => ({ now: () => at, monotonic: () => 0 });

const path = '/api/v1/workflows/watched/';
const channel = 'workflow:watched';
const runs = Number(process.env.MILLRACE_FOLLOWER_RUNS ?? 30);

type Objects = Map<unknown, JsonObject>;

/** A client that follows a workflow as docs/websocket.md describes: it reads it again only if `complete` is false. */
class Follower {
  readonly #owner: Api;
  #position: Position | null = null;
  #nodes: Objects = new Map();
  #edges: Objects = new Map();
  #disconnect: (() => void) | null = null;

  constructor(owner: Api) {
    this.#owner = owner;
  }

  get graph() {
    const ordered = (objects: Objects) => [...objects.values()].sort((a, b) => Number(a.id) - Number(b.id));
    return { nodes: ordered(this.#nodes), edges: ordered(this.#edges) };
  }

  async connect(hub: Hub, workflowId: number): Promise<void> {
    if (this.#disconnect !== null) return;
    const topic = { kind: 'workflow', workflowId, access: 'member' } as const;
    const subscriber = { deliver: (message: Buffer) => this.#apply(message), revoked: () => undefined };
    const known = this.#position;
    const begin = hub.subscribe(subscriber, channel, topic);
    this.#disconnect = () => hub.drop(subscriber);
    const replay = known === null ? null : hub.replay(channel, topic, known);
    if (replay?.complete !== true) {
      this.#position = begin;
      return this.#read();
    }
    for (const message of replay.messages) this.#apply(message);
  }

  disconnect(): void {
    this.#disconnect?.();
    this.#disconnect = null;
  }

  async #read(): Promise<void> {
    const { nodes, edges } = (await this.#owner.get(path)).body as Record<string, readonly JsonObject[]>;
    this.#nodes = new Map(nodes?.map((node) => [node.node_id, node]));
    this.#edges = new Map(edges?.map((edge) => [edge.id, edge]));
  }

  #apply(message: Buffer): void {
    const { type, seq, data } = JSON.parse(String(message)) as { type: string; seq: number; data: JsonObject };
    this.#position = { seq, epoch: this.#position?.epoch ?? null };
    if (type === 'node_deleted') this.#nodes.delete(data.node_id);
    else if (type.startsWith('node')) this.#nodes.set(data.node_id, data);
    else if (type === 'edge_deleted') this.#edges.delete(data.id);
    else if (type.startsWith('edge')) this.#edges.set(data.id, data);
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('connect' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('disconnect' as const) }) },
  // The clock may be set back by any time: numbers of two processes may overlap.
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), at: fc.constantFrom(1000, 1000.001, 2000) }),
  },
);

test('a client that reads again when complete is false has the graph of a GET after any changes, breaks and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
      const { api: owner, stop } = await clockwork.start();
      await owner.post('/api/v1/workflows/', { name: 'Watched', slug: 'watched' });
      await owner.post(`${path}nodes/`, { node_id: 'n', component_type: 'trigger_manual' });
      const { id = 0 } = (await clockwork.store.workflows.bySlug('watched')) ?? {};
      const follower = new Follower(owner);
      let hub = new Hub(clockAt(1000));
      clockwork.store.subscribe({ published: (published) => hub.publish(published) });
      let count = 0;
      for (const one of steps) {
        count += 1;
        if (one.kind === 'connect') await follower.connect(hub, id);
        else if (one.kind === 'disconnect') follower.disconnect();
        else if (one.kind === 'restart') {
          follower.disconnect();
          hub = new Hub(clockAt(one.at));
          // Another client connects first, so that the new process counts events that this one misses.
          hub.subscribe({ deliver: () => undefined, revoked: () => undefined }, channel, {
            kind: 'workflow',
            workflowId: id,
            access: 'member',
          });
        } else if (one.kind === 'add') {
          await owner.post(`${path}nodes/`, { node_id: `n${count}`, component_type: 'template' });
          await owner.post(`${path}edges/`, { source_node_id: 'n', target_node_id: `n${count}` });
        } else if (one.kind === 'change') await owner.patch(`${path}nodes/n/`, { label: `${count}` });
        else {
          const last = ((await owner.get(path)).body as { nodes: readonly JsonObject[] }).nodes.at(-1);
          if (last?.node_id !== 'n') await owner.delete(`${path}nodes/${last?.node_id}/`);
        }
        await clockwork.settle();
      }
      await follower.connect(hub, id);
      const { nodes, edges } = (await owner.get(path)).body as JsonObject;
      expect(follower.graph).toEqual({ nodes, edges });
      await stop();
    }),
    { numRuns: runs },
  );
});
