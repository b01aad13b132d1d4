import { graphAnswer, versionDetail, type WorkflowDetailBody, workflowDetail } from '@millrace/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestApp } from '../support/app.ts';
import { drawnOperations, operationOn } from '../support/random-operations.ts';

const runs = Number(process.env.MILLRACE_GRAPH_RUNS ?? 40);

type DrawnList = typeof drawnOperations extends fc.Arbitrary<infer T> ? T : never;
type Outcome = 'applied' | 'unchanged' | 'rejected' | 'stale';

interface Seen {
  readonly version: number;
  readonly nodes: readonly { readonly id: number }[];
  readonly edges: readonly { readonly id: number }[];
}

/** A user of the editor: sees what the service sent last. */
class Editor {
  readonly #api: Api;
  readonly #path: string;
  #seen: Seen;

  constructor(api: Api, path: string, seen: Seen) {
    this.#api = api;
    this.#path = path;
    this.#seen = seen;
  }

  async send(list: DrawnList): Promise<Outcome> {
    const { version, nodes, edges } = this.#seen;
    const operations = list.map((drawn) => operationOn({ edges: edges.map(({ id }) => ({ id })) }, drawn));
    const answer = await this.#api.post(`${this.#path}/graph/`, { version, operations });
    const { workflow } = answer.body as { workflow?: unknown };
    if (answer.status === 409 && workflow !== undefined) {
      this.#seen = workflowDetail.parse(workflow);
      expect(this.#seen.version).toBeGreaterThan(version);
      return 'stale';
    }
    if (answer.status !== 200) return 'rejected';
    const { version: after } = graphAnswer.parse(answer.body);
    // A list that changes nothing in the end creates no version.
    expect(after - version).toBeOneOf([0, 1]);
    // The change is based on exactly what they saw: no change of another editor was overwritten unseen.
    expect(await this.#graphAt(version)).toEqual({ version, nodes, edges });
    const seen = await this.#graphAt(after);
    if (after === version) expect(seen).toEqual({ version, nodes, edges });
    this.#seen = seen;
    return after === version ? 'unchanged' : 'applied';
  }

  async #graphAt(version: number): Promise<Seen> {
    const { graph } = versionDetail.parse((await this.#api.get(`${this.#path}/versions/${version}/`)).body);
    return { version, ...graph };
  }
}

/** The content of a graph: a recreated node has a new id, which its agents refer to as their model. */
function content({ nodes, edges }: Pick<WorkflowDetailBody, 'nodes' | 'edges'>) {
  const names = new Map(nodes.map(({ id, node_id }) => [id, node_id]));
  const printed = nodes.map(({ id: _id, updated_at: _at, config, ...node }) => {
    const { llm_model_config_id: model, ...rest } = config;
    return [node.node_id, { ...node, config: rest, model: model === null ? null : names.get(model) }] as const;
  });
  return { nodes: new Map(printed), edges };
}

/** Nodes to connect, so that many operations succeed. */
const beginning = { a: 'trigger_manual', b: 'template', c: 'agent', d: 'ai_model' };

const moves = fc.record({
  turns: fc.array(
    fc.record({
      who: fc.constantFrom('first', 'second', 'both'),
      list: drawnOperations.map((list) => list.slice(0, 3)),
    }),
    {
      minLength: 1,
      maxLength: 10,
    },
  ),
  restored: fc.nat({ max: 7 }),
});

describe('two editors of one workflow', () => {
  it('never change what they have not seen, and can restore any version exactly', async () => {
    const api = await startTestApp();
    const other = await api.addUser('second');
    const outcomes: Outcome[] = [];
    let count = 0;
    await fc.assert(
      fc.asyncProperty(moves, async ({ turns, restored }) => {
        count += 1;
        const path = `/api/v1/workflows/shared-${count}`;
        await api.post('/api/v1/workflows/', { name: 'Shared', slug: `shared-${count}` });
        await api.post(`${path}/collaborators/`, { username: 'second', role: 'editor' });
        for (const [node_id, component_type] of Object.entries(beginning)) {
          await api.post(`${path}/nodes/`, { node_id, component_type });
        }
        const { version, nodes, edges } = workflowDetail.parse((await api.get(`${path}/`)).body);
        const [first, second] = [api, other].map((hand) => new Editor(hand, path, { version, nodes, edges }));
        for (const { who, list } of turns) {
          const sends = [who === 'second' ? undefined : first, who === 'first' ? undefined : second];
          const ends = await Promise.all(sends.map((editor) => editor?.send(list)));
          outcomes.push(...ends.filter((end) => end !== undefined));
        }

        const now = workflowDetail.parse((await api.get(`${path}/`)).body).version;
        const target = 1 + (restored % now);
        const { graph } = versionDetail.parse((await api.get(`${path}/versions/${target}/`)).body);
        const answer = await other.post(`${path}/versions/${target}/restore/`, { base_version: now });
        expect(content(workflowDetail.parse(answer.body))).toEqual(content(graph));
      }),
      { numRuns: runs },
    );
    for (const outcome of ['applied', 'stale'] as const) {
      expect(outcomes.filter((end) => end === outcome).length).toBeGreaterThan(runs / 10);
    }
  });
});
