import { catalogue } from '@millrace/components';
import { describe, expect, it } from 'vitest';
import { startWorkflow, type TestApp } from '../support/app.ts';

function edge(source_node_id: string, target_node_id: string, rest: object = {}): object {
  return { source_node_id, target_node_id, ...rest };
}

it('warns of code that uses an old name of a node, and no longer after the code is corrected', async () => {
  const api = await startWorkflow({ catalogue });
  for (const [node_id, component_type] of [
    ['start', 'trigger_manual'],
    ['fetch', 'transform'],
    ['use', 'code'],
  ]) {
    await api.post(`${api.path}/nodes/`, { node_id, component_type });
  }
  for (const [source, target] of ['start fetch', 'fetch use'].map((pair) => pair.split(' ') as [string, string])) {
    await api.post(`${api.path}/edges/`, edge(source, target));
  }
  await api.patch(`${api.path}/nodes/fetch/`, { config: { extra_config: { expression: '1' } } });
  const code = (name: string) => ({ config: { extra_config: { code: `return \`\${nodes.${name}.output}\`;` } } });
  await api.patch(`${api.path}/nodes/use/`, code('fetch'));
  expect((await api.post(`${api.path}/validate/`)).body).toEqual({ valid: true, errors: [], issues: [] });
  expect((await api.patch(`${api.path}/nodes/fetch/`, { node_id: 'fetched' })).status).toBe(200);
  expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({
    valid: true,
    issues: [
      {
        code: 'unknown_name',
        severity: 'warning',
        node_id: 'use',
        field: 'extra_config.code',
        message: expect.stringContaining("The code names node 'fetch', which does not exist (line 1, column 11)"),
      },
    ],
  });
  await api.patch(`${api.path}/nodes/use/`, code('fetched'));
  expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({ issues: [] });
});

describe('code that names nodes', () => {
  const issuesIn = async (api: TestApp & { readonly path: string }) =>
    ((await api.post(`${api.path}/validate/`)).body as { issues: { code: string }[] }).issues.filter(
      ({ code }) => code === 'unknown_name',
    );

  it('is reported with a warning if it names a missing node, because renaming a node does not change code', async () => {
    const api = await startWorkflow({ catalogue });
    const code = '// as nodes.gone did\nreturn nodes.fetched.output;';
    await api.post(`${api.path}/nodes/`, { node_id: 'fetched', component_type: 'template' });
    const make = { node_id: 'make', component_type: 'code', config: { extra_config: { code } } };
    await api.post(`${api.path}/nodes/`, make);
    expect(await issuesIn(api)).toEqual([]);
    await api.patch(`${api.path}/nodes/fetched/`, { node_id: 'fetch' });
    const place = "(line 2, column 8) Did you mean 'fetch'?";
    const message = `Node 'make', extra_config.code: The code names node 'fetched', which does not exist ${place}`;
    const issue = { severity: 'warning', node_id: 'make', field: 'extra_config.code', message };
    expect(await issuesIn(api)).toEqual([{ code: 'unknown_name', ...issue }]);
  });
});
