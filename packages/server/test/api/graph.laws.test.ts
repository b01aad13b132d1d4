import { type WorkflowDetailBody, workflowDetail } from '@millrace/contract';
import type { LiveEvent } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { TestApp } from '../support/app.ts';
import { startTestApp } from '../support/app.ts';
import { drawnOperations, operationOn } from '../support/random-operations.ts';

const runs = Number(process.env.MILLRACE_GRAPH_RUNS ?? 150);

interface Sent {
  readonly op: string;
  readonly node?: object;
  readonly edge?: object;
  readonly changes?: object;
  readonly node_id?: string;
  readonly edge_id?: number;
}

/** Sends one operation as the equivalent single request. */
function alone(api: TestApp, path: string, sent: Sent): Promise<Answer> {
  switch (sent.op) {
    case 'create_node':
      return api.post(`${path}/nodes/`, sent.node);
    case 'update_node':
      return api.patch(`${path}/nodes/${sent.node_id}/`, sent.changes);
    case 'delete_node':
      return api.delete(`${path}/nodes/${sent.node_id}/`);
    case 'create_edge':
      return api.post(`${path}/edges/`, sent.edge);
    case 'update_edge':
      return api.patch(`${path}/edges/${sent.edge_id}/`, sent.changes);
    default:
      return api.delete(`${path}/edges/${sent.edge_id}/`);
  }
}

/** The index of the operation that the answer rejects. */
function rejectedIndex({ status, body }: Answer): number {
  expect(status).toBeOneOf([409, 422]);
  const [issue] = (body as { detail: { loc: [string, string, number] }[] }).detail;
  return issue?.loc[2] ?? Number.NaN;
}

/** Two workflows of one service differ in ids and times: this replaces each id by its creation order. */
class Twin {
  readonly path: string;
  readonly #api: TestApp;
  readonly #ids = new Map<string, number>();
  readonly #workflowId: number;
  readonly #events: LiveEvent[] = [];
  /** The last published content of each object. */
  readonly #contents = new Map<string, string>();

  constructor(api: TestApp, slug: string, id: number) {
    this.#api = api;
    this.path = `/api/v1/workflows/${slug}`;
    this.#workflowId = id;
    api.store.subscribe({
      published: (all) => {
        for (const { workflowId, event } of all) if (workflowId === this.#workflowId) this.#note(event);
      },
    });
  }

  async detail(): Promise<WorkflowDetailBody> {
    return workflowDetail.parse((await this.#api.get(`${this.path}/`)).body);
  }

  #note(event: LiveEvent): void {
    if (event.type === 'node_created') this.#ids.set(`node ${event.node.id}`, this.#ids.size);
    if (event.type === 'edge_created') this.#ids.set(`edge ${event.edge.id}`, this.#ids.size);
    if (this.#changes(event)) this.#events.push(event);
  }

  /**
   * False for an event of an update that changed nothing. A single request publishes it; a list does so only if none
   * of its operations changes anything.
   */
  #changes(event: LiveEvent): boolean {
    const object = 'node' in event ? event.node : 'edge' in event ? event.edge : null;
    if (object === null) return true;
    const key = `${'node' in event ? 'node' : 'edge'} ${object.id}`;
    const content = JSON.stringify({ ...object, updatedAt: 0 });
    const isSame = this.#contents.get(key) === content;
    this.#contents.set(key, content);
    return !isSame;
  }

  /** Equal for both twins if the same operations were applied to them. */
  async story() {
    const { nodes, edges } = await this.detail();
    const linkOf = (id: number | null) => (id === null ? null : this.#ids.get(`node ${id}`));
    return {
      nodes: nodes.map(({ id, updated_at: _at, config, ...node }) => {
        const link = linkOf(config.llm_model_config_id);
        return { ...node, id: this.#ids.get(`node ${id}`), config: { ...config, llm_model_config_id: link } };
      }),
      edges: edges.map(({ id, ...edge }) => ({ ...edge, id: this.#ids.get(`edge ${id}`) })),
      events: this.#events.map((event) => ({ type: event.type, of: this.#subject(event) })),
    };
  }

  #subject(event: LiveEvent): unknown {
    if (event.type === 'node_deleted') return event.nodeId;
    if (event.type === 'edge_deleted') return this.#ids.get(`edge ${event.id}`);
    if ('node' in event) return [this.#ids.get(`node ${event.node.id}`), event.node.nodeId];
    return 'edge' in event ? [this.#ids.get(`edge ${event.edge.id}`), event.edge.sourceNodeId] : null;
  }
}

async function twins(api: TestApp, name: string): Promise<[Twin, Twin]> {
  const make = async (slug: string) => {
    const { body } = await api.post('/api/v1/workflows/', { name: 'Twin', slug });
    return new Twin(api, slug, (body as { id: number }).id);
  };
  return [await make(`${name}-x`), await make(`${name}-y`)];
}

describe('a list of operations', () => {
  it('has the same effect as its operations one by one, up to the first invalid one, and none if one is invalid', {}, async () => {
    const api = await startTestApp();
    let count = 0;
    let [applied, rejected] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(drawnOperations, { minLength: 1, maxLength: 4 }), async (lists) => {
        count += 1;
        const [together, single] = await twins(api, `run${count}`);
        for (const list of lists) {
          const before = await together.detail();
          const beforeSingle = await single.detail();
          const operations = list.map((drawn) => operationOn(before, drawn) as Sent);
          const { version } = before;
          const whole = await api.post(`${together.path}/graph/`, { version, operations });
          const length = whole.status === 200 ? list.length : rejectedIndex(whole);
          if (whole.status === 200) applied += 1;
          else {
            rejected += 1;
            expect(await together.detail()).toEqual(before);
            const part = { version, operations: operations.slice(0, length) };
            expect(await api.post(`${together.path}/graph/`, part)).toMatchObject({ status: 200 });
          }
          const singles = list.slice(0, length + 1).map((drawn) => operationOn(beforeSingle, drawn) as Sent);
          for (const [index, sent] of singles.entries()) {
            const { status } = await alone(api, single.path, sent);
            expect([sent, status]).toEqual([
              sent,
              index < length ? expect.toBeOneOf([200, 201, 204]) : expect.toBeOneOf([404, 409, 422]),
            ]);
          }
          expect(await together.story()).toEqual(await single.story());
        }
      }),
      { numRuns: runs },
    );
    // The law proves nothing if all lists are rejected, and little if none is.
    expect(Math.min(applied, rejected)).toBeGreaterThan(runs / 20);
  });
});
