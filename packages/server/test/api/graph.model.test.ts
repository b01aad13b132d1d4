import { workflowDetail } from '@millrace/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { GraphModel, type ModelOperation } from '../support/graph-model.ts';
import { drawnOperations, operationOn } from '../support/random-operations.ts';

const runs = Number(process.env.MILLRACE_GRAPH_RUNS ?? 100);

/** The state of the service, in the form of the model. */
function received(body: unknown): GraphModel & { readonly links: ReadonlyMap<string, string | undefined> } {
  const { nodes, edges } = workflowDetail.parse(body);
  const names = new Map(nodes.map(({ id, node_id }) => [id, node_id]));
  const linked = nodes.filter(({ config }) => config.llm_model_config_id !== null);
  const model = new GraphModel(
    new Map(
      nodes.map((node) => [
        node.node_id,
        { type: node.component_type, label: node.label, x: node.position_x, y: node.position_y },
      ]),
    ),
    edges.map((edge) => ({
      id: edge.id,
      source: edge.source_node_id,
      target: edge.target_node_id,
      label: edge.edge_label,
      route: edge.edge_type === 'conditional' ? edge.condition_value : null,
      priority: edge.priority,
    })),
  );
  const links = new Map(linked.map(({ node_id, config }) => [node_id, names.get(config.llm_model_config_id ?? 0)]));
  return Object.assign(model, { links });
}

const withoutIds = ({ edges }: GraphModel) => edges.map(({ id: _id, ...edge }) => edge);

describe('lists of operations', () => {
  it('behave like a simple model, and are rejected at the operation that the model rejects', async () => {
    const api = await startTestApp();
    let count = 0;
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(drawnOperations, { minLength: 1, maxLength: 6 }), async (lists) => {
        count += 1;
        const path = `/api/v1/workflows/plain-${count}`;
        await api.post('/api/v1/workflows/', { name: 'Plain', slug: `plain-${count}` });
        for (const list of lists) {
          const before = (await api.get(`${path}/`)).body;
          const { version, edges } = workflowDetail.parse(before);
          const operations = list.map((drawn) => operationOn({ edges }, drawn) as ModelOperation);
          let model: GraphModel | null = received(before);
          let rejectedAt: number | null = null;
          for (const [index, operation] of operations.entries()) {
            model = model?.after(operation) ?? null;
            if (model === null) rejectedAt ??= index;
          }
          const answer = await api.post(`${path}/graph/`, { version, operations });
          const now = received((await api.get(`${path}/`)).body);
          if (model === null) {
            const [issue] = (answer.body as { detail: { loc: unknown[] }[] }).detail;
            expect(issue?.loc.slice(0, 3)).toEqual(['body', 'operations', rejectedAt]);
            expect(now).toEqual(received(before));
            continue;
          }
          applied += 1;
          expect(answer.status).toBe(200);
          expect([now.nodes, withoutIds(now), now.links]).toEqual([model.nodes, withoutIds(model), model.models]);
        }
      }),
      { numRuns: runs },
    );
    expect(applied).toBeGreaterThan(runs / 10);
  });
});
