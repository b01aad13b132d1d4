import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
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
