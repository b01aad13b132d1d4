import { catalogue } from '@millrace/components';
import { expect, test } from 'vitest';
import { startResources } from '../support/resources.ts';

type Api = Awaited<ReturnType<typeof startResources>>;

/** Workflows that each call others: `a: ['b']`. */
async function workflows(api: Api, calls: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [slug, called] of Object.entries(calls)) {
    await api.post('/api/v1/workflows/', { name: slug, slug });
    await api.post(`/api/v1/workflows/${slug}/nodes/`, { node_id: 'begin', component_type: 'trigger_workflow' });
    for (const [index, workflow] of called.entries()) {
      const node_id = `call_${index}`;
      const config = { extra_config: { workflow } };
      await api.post(`/api/v1/workflows/${slug}/nodes/`, { node_id, component_type: 'workflow', config });
      await api.post(`/api/v1/workflows/${slug}/edges/`, { source_node_id: 'begin', target_node_id: node_id });
    }
  }
}

async function validate(api: Pick<Api, 'post'>, slug: string) {
  return (await api.post(`/api/v1/workflows/${slug}/validate/`, undefined)).body;
}

test('validate finds a workflow that calls itself, or comes back through others', async () => {
  const api = await startResources({ catalogue });
  await workflows(api, {
    itself: ['itself'],
    a: ['b'],
    b: ['c'],
    c: ['a'],
    into: ['a'],
    fine: ['leaf', 'leaf'],
    leaf: [],
  });
  expect(await validate(api, 'itself')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0' runs this workflow itself."],
    issues: [{ code: 'subworkflow_cycle', severity: 'error', node_id: 'call_0' }],
  });
  expect(await validate(api, 'a')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0' runs workflow 'b', which comes back to this one."],
  });
  // It is no part of the circle that it leads to.
  expect(await validate(api, 'into')).toMatchObject({ valid: true });
  expect(await validate(api, 'fine')).toMatchObject({ valid: true });
});

test('validate finds a workflow that is not there; a slug by expression is looked up when the step runs', async () => {
  const api = await startResources({ catalogue });
  await workflows(api, { main: ['nowhere', '{{ trigger.text }}'] });
  expect(await validate(api, 'main')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0': workflow 'nowhere' does not exist, or the workflow's owner may not see it."],
    issues: [{ code: 'unknown_workflow', node_id: 'call_0' }],
  });
});
