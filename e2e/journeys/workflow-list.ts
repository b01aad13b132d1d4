import { expect } from 'vitest';
import { journey, type Scene } from '../harness/journey.ts';

async function addWorkflow({ service }: Scene, name: string, tags: readonly string[]): Promise<void> {
  const yaml_str = `
name: ${name}
trigger: webhook
tags: [${tags.join(', ')}]
steps:
  - id: order
    type: template
    template: '{{ trigger.payload.order.number }}'
`;
  await service.call('workflows/import/', { method: 'POST', body: { yaml_str } });
}

journey('the list of workflows is filtered by its address, and deletes several with one undo', async (scene) => {
  const { page, service } = scene;
  await addWorkflow(scene, 'List one', ['listed', 'first']);
  await addWorkflow(scene, 'List two', ['listed']);
  await service.call('workflows/list-one/execute/', { method: 'POST', body: { wait: true } });
  await scene.goto('/workflows');
  await page.getByRole('button', { name: 'Tag listed' }).click();
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('List one').getByRole('link', { name: 'Failed' }).waitFor();
  await row('List one').getByRole('img', { name: '0 succeeded and 1 failed in the last 24 hours' }).waitFor();
  await row('List two').getByText('Never').waitFor();
  await page.getByRole('button', { name: 'Last run failed' }).click();
  await row('List two').waitFor({ state: 'detached' });
  await page.reload();
  await row('List one').waitFor();
  await page.getByRole('searchbox').fill('nothing has this name');
  await page.getByRole('heading', { name: 'No workflow matches' }).waitFor();
  await scene.checkAccessibility();
  await page.getByRole('button', { name: 'Clear 3 filters' }).click();
  await page.getByRole('searchbox').fill('list-');
  await page.getByRole('checkbox', { name: 'Select List one' }).check();
  await page.getByRole('checkbox', { name: 'Select List two' }).check();
  await scene.checkAccessibility();
  await page.getByRole('region', { name: 'Selected workflows' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 workflows were moved to the trash').waitFor();
  await row('List two').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('List two').waitFor();
  await row('List one').waitFor();
});

journey('a tag for several workflows keeps those that somebody else has added meanwhile', async (scene) => {
  const { page, service } = scene;
  for (const name of ['Tagged one', 'Tagged two']) await addWorkflow(scene, name, ['old']);
  await scene.goto('/workflows?q=tagged');
  await page.getByRole('checkbox', { name: 'Select Tagged one' }).check();
  await page.getByRole('checkbox', { name: 'Select Tagged two' }).check();
  await service.call('workflows/tagged-one/', { method: 'PATCH', body: { tags: ['old', 'theirs'] } });
  const bar = page.getByRole('region', { name: 'Selected workflows' });
  await bar.getByRole('button', { name: 'Add tag' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill('mine');
  await page.getByRole('dialog').getByRole('button', { name: 'Add tag' }).click();
  await page.getByRole('button', { name: 'Tag mine' }).waitFor();
  expect(await service.call<object>('workflows/tagged-one/')).toMatchObject({ tags: ['old', 'theirs', 'mine'] });
  expect(await service.call<object>('workflows/tagged-two/')).toMatchObject({ tags: ['old', 'mine'] });
});

journey('the menu of a workflow duplicates it as an inactive one', async (scene) => {
  const { page, service } = scene;
  await addWorkflow(scene, 'Listed original', []);
  await scene.goto('/workflows?q=original');
  await page.getByRole('button', { name: 'Actions for Listed original' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.waitForURL('**/w/listed-original-copy');
  const copy = await service.call<object>('workflows/listed-original-copy/');
  expect(copy).toMatchObject({ name: 'Listed original (copy)', is_active: false, node_count: 2 });
});
