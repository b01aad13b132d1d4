import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { journey } from '../harness/journey.ts';
import { adminKey } from '../harness/service.ts';

const yaml = `
name: Kept draft
trigger: manual
steps:
  - id: reply
    type: template
    template: Before
`;

journey('a session that ends during an edit asks for a login, and the edit is saved after it', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, yaml);
  scene.expectFailure({ url: /\/api\/v1\//, status: 401 });
  scene.expectFailure({ url: /\/ws\//, status: 401 });
  await editor.card('reply').click();
  const field = page
    .getByRole('complementary', { name: 'Settings of reply' })
    .getByLabel(/^Template/)
    .first();
  await field.click();
  // The session ends only when nothing is being loaded: another request would ask for the login before the text is typed.
  await page.waitForLoadState('networkidle');
  await page.context().clearCookies();
  await field.fill('Written without a session');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await scene.checkAccessibility();
  await dialog.getByRole('button', { name: 'Use an API key instead' }).click();
  await dialog.getByLabel('API key').fill(adminKey);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
  await editor.expectStored(({ nodes }) => expect(JSON.stringify(nodes)).toContain('Written without a session'));
});

journey('an address without a page says so, with a way back', async (scene) => {
  const { page } = scene;
  scene.expectFailure({ url: /\/no\/such\/page$/, status: 404 });
  await scene.goto('/no/such/page');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('link', { name: 'Go to the workflows' }).click();
  await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
});
