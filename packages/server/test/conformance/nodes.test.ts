import { describe, expect, it } from 'vitest';
import { startWorkflow } from '../support/app.ts';

describe('the nodes endpoint', () => {
  it('lists the nodes of a workflow as a flat array', async () => {
    const api = await startWorkflow();
    for (const node_id of ['a', 'b']) await api.post(`${api.path}/nodes/`, { node_id, component_type: 'template' });
    const { status, body } = await api.get(`${api.path}/nodes/`);
    expect([status, body]).toEqual([
      200,
      [expect.objectContaining({ node_id: 'a' }), expect.objectContaining({ node_id: 'b' })],
    ]);
  });

  it('reads one as it was made', async () => {
    const api = await startWorkflow();
    const made = await api.post(`${api.path}/nodes/`, { node_id: 'a', component_type: 'template' });
    expect(await api.get(`${api.path}/nodes/a/`)).toMatchObject({ status: 200, body: made.body });
  });
});
