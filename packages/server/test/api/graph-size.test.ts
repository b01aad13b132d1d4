import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { startTestApp } from '../support/app.ts';

const path = '/api/v1/workflows/large/';
const maxBytes = 8 * 1024 * 1024;
const runs = Number(process.env.MILLRACE_SIZE_RUNS ?? 2);
/** Nodes of 500,000 letters that exceed the limit in total. */
const nodesToExceed = 17;

const pinned = (letters: number, letter = 'x') => ({
  config: { extra_config: { pinned_output: { output: letter.repeat(letters) } } },
});

/** The size in the message of an answer with 422; null for any other answer. */
function figureIn({ status, text }: Answer): number | null {
  const figure = /bytes of JSON in total, but would have (\d+)\./.exec(text)?.[1];
  return status === 422 && figure !== undefined ? Number(figure) : null;
}

it('rejects what makes a workflow too large, with the size, and changes nothing', async () => {
  const action = fc.record({
    kind: fc.constantFrom('create', 'create', 'batch', 'batch', 'change', 'restore'),
    // As many bytes as a request may have, also in characters of two bytes.
    letters: fc.integer({ min: 300_000, max: 500_000 }),
    letter: fc.constantFrom('x', 'é'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 35, maxLength: 50 }), async (random) => {
      // Whatever the random actions do, these exceed the limit.
      const last = { kind: 'create', letters: 500_000, letter: 'x' };
      const actions = [...random, ...Array.from({ length: nodesToExceed }, () => last)];
      let rejected = 0;
      const api = await startTestApp();
      await api.post('/api/v1/workflows/', { name: 'Large', slug: 'large' });
      await api.post(`${path}nodes/`, { node_id: 'first', component_type: 'template' });
      const act = async ({ kind, letters, letter }: (typeof actions)[number]): Promise<Answer> => {
        const length = letter === 'é' ? Math.floor(letters / 2) : letters;
        const own = pinned(length, letter);
        if (kind === 'create') return api.post(`${path}nodes/`, { component_type: 'template', ...own });
        if (kind === 'change') return api.patch(`${path}nodes/first/`, own);
        const { version = 0 } = (await api.store.workflows.bySlug('large')) ?? {};
        // The first version does not have the node that is changed.
        if (kind === 'restore') return api.post(`${path}versions/${Math.max(2, version - 3)}/restore/`, {});
        const half = { component_type: 'template', ...pinned(Math.floor(length / 2), letter) };
        const operations = [half, half].map((node) => ({ op: 'create_node', node }));
        return api.post(`${path}graph/`, { version, operations });
      };
      let version: unknown = null;
      for (const one of actions) {
        const answer = await act(one);
        const figure = figureIn(answer);
        const current = (await api.store.workflows.bySlug('large'))?.version;
        if (figure !== null) {
          rejected += 1;
          expect(figure).toBeGreaterThan(maxBytes);
          expect(current).toBe(version);
        }
        // A version that was pruned cannot be restored.
        else expect(one.kind === 'restore' ? [200, 404] : [200, 201]).toContain(answer.status);
        version = current;
      }
      expect(rejected).toBeGreaterThan(0);
      expect(Buffer.byteLength((await api.get(path)).text)).toBeLessThan(maxBytes + 100_000);
    }),
    { numRuns: runs },
  );
});

it('lets a workflow that is too large become smaller', async () => {
  const api = await startTestApp();
  const { body } = await api.post('/api/v1/workflows/', { name: 'Large', slug: 'large' });
  const { id: workflowId } = body as { id: number };
  for (const node_id of ['a', 'b', 'c']) await api.post(`${path}nodes/`, { node_id, component_type: 'template' });
  const graph = await api.store.graphs.load(workflowId);
  const config = { ...graph?.nodes[0]?.config, extra_config: { pinned_output: { output: 'x'.repeat(4_000_000) } } };
  // Stored before the limit existed.
  await api.store.graphs.save({
    workflowId,
    baseVersion: graph?.version ?? 0,
    at: 0,
    changes: (graph?.nodes ?? []).map(({ id, ...node }) => ({ kind: 'update_node', id, node: { ...node, config } })),
  });
  const tooLarge = await api.post(`${path}nodes/`, { component_type: 'template' });
  expect(figureIn(tooLarge)).toBeGreaterThan(12_000_000);
  expect((await api.patch(`${path}nodes/a/`, pinned(1))).status).toBe(200);
  expect((await api.delete(`${path}nodes/b/`)).status).toBe(204);
  expect((await api.post(`${path}nodes/`, { component_type: 'template' })).status).toBe(201);
});
