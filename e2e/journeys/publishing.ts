import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

const hook = `
name: Published hook
trigger: {type: webhook, response_mode: last_node}
steps:
  - id: reply
    type: template
    template: First version
`;

journey('J19: a publication shows its changes, and triggers run it while the draft differs', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, hook);
  const state = (text: string) => page.getByTitle(/^Triggers run version/).filter({ hasText: text });
  const call = async (): Promise<string> =>
    JSON.stringify(await service.call(`webhooks/${editor.slug}`, { method: 'POST', body: {} }));
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('The first one');
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
  await state('Published').waitFor();
  await editor.card('reply').click();
  const field = page
    .getByRole('complementary', { name: 'Settings of reply' })
    .getByLabel(/^Template/)
    .first();
  await field.fill('Second version');
  await page.keyboard.press('Tab');
  await state('Draft').waitFor();
  await editor.expectStored(({ nodes }) => expect(JSON.stringify(nodes)).toContain('Second version'));
  expect(await call()).toContain('First version');
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish changes' });
  await dialog.getByRole('region', { name: 'What changes' }).getByText('reply').first().waitFor();
  await scene.checkAccessibility();
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await state('Published').waitFor();
  expect(await call()).toContain('Second version');
});

const three = `
name: Restored versions
trigger: manual
steps:
  - id: first
    type: template
    template: One
  - id: second
    type: template
    template: Two
`;

journey(
  'J19: versions are compared with exact counts, and restoring one brings back its whole graph',
  async (scene) => {
    const { page, service } = scene;
    const editor = await Editor.create(page, service, three);
    const path = `workflows/${editor.slug}`;
    await service.call(`${path}/publish/`, { method: 'POST', body: { note: 'Before the changes' } });
    const before = await editor.stored();
    // Two nodes only move, one is changed, and one is added.
    const patch = (node: string, body: object) => service.call(`${path}/nodes/${node}/`, { method: 'PATCH', body });
    await patch('first', { position_x: 900 });
    await patch('start', { position_y: 700 });
    await patch('second', { config: { extra_config: { template: 'Three' } } });
    await editor.open();
    await editor.add('wait');
    await editor.expectStored(({ nodes }) => expect(nodes).toHaveLength(before.nodes.length + 1));
    const { version } = await editor.stored();
    await scene.goto(`/w/${editor.slug}/versions?version=${before.version}`);
    await page.getByText('Before the changes').first().waitFor();
    await page.getByRole('button', { name: 'Compared with the newest' }).click();
    await page.getByText(`From version ${before.version} to version ${version}`).waitFor();
    const changes = page.getByRole('list', { name: 'Changes' }).locator(':scope > li');
    await eventually(() => changes.count()).toBe(3);
    await changes.filter({ hasText: /^Changed.*second/ }).waitFor();
    await changes.filter({ hasText: /^Added.*wait/ }).waitFor();
    // Nodes that only moved are one line.
    await changes.filter({ hasText: '2 nodes were moved on the canvas' }).waitFor();
    await scene.checkAccessibility();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText(`Version ${before.version} is the newest one again`).waitFor();
    const after = await editor.stored();
    expect(contentOf(after)).toEqual(contentOf(before));
    // It is a draft: triggers still run the published version.
    expect(after.version).toBe(version + 1);
    expect(after.published_version).toBe(before.version);
  },
);

journey('J19: one node of an earlier version is restored, and then its whole graph', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, hook.replace('Published hook', 'Restored hook'));
  const path = `workflows/${editor.slug}`;
  const change = async (operations: readonly object[]): Promise<void> => {
    const { version } = await editor.stored();
    await service.call(`${path}/graph/`, { method: 'POST', body: { version, operations } });
  };
  const first = await editor.stored();
  const trigger = first.nodes.find(({ component_type: type }) => type === 'trigger_webhook')?.node_id;
  await change([
    { op: 'update_node', node_id: 'reply', changes: { config: { extra_config: { template: 'Second' } } } },
    { op: 'update_node', node_id: trigger, changes: { position_x: 900 } },
    { op: 'create_node', node: { node_id: 'late', component_type: 'wait' } },
  ]);
  await scene.goto(`/w/${editor.slug}/versions?version=${first.version + 1}`);
  const changes = page.getByRole('list', { name: 'Changes' });
  await changes.waitFor();
  // A changed node, an added one, and those that only moved, which are one line.
  expect(await changes.getByRole('listitem').count()).toBe(3);
  await changes.getByText('1 node was moved on the canvas').waitFor();
  await changes.getByText('reply', { exact: true }).click();
  await scene.checkAccessibility();
  await changes.getByRole('button', { name: 'Restore this node: reply' }).click();
  await editor.expectStored(({ nodes }) => {
    expect(JSON.stringify(nodes)).toContain('First version');
    expect(nodes.map(({ node_id: id }) => id)).toContain('late');
  });
  await scene.goto(`/w/${editor.slug}/versions?version=${first.version}`);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await editor.expectStored((workflow) => expect(contentOf(workflow)).toEqual(contentOf(first)));
});
