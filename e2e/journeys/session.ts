import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { adminKey, type Service } from '../harness/service.ts';

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

const shared_yaml = `
name: Shared browser
trigger: chat
steps:
  - id: reply
    type: template
    template: Before
`;

const password = 'a long sentence';

journey(
  'what a user leaves in a browser is removed by the logout, in all tabs, and the next user sees nothing',
  async (scene) => {
    const { service } = scene;
    const slug = await sharedWith(service, ['first-user', 'second-user']);
    scene.expectFailure({ url: /\/graph\/$/, status: 0 });
    scene.expectFailure({ url: /\/(api\/v1|ws)\//, status: 401 });
    const page = await scene.newPage(null);
    await page.goto(`${service.url}/w/${slug}`);
    await logIn(page, 'first-user');
    const other = await page.context().newPage();
    await writeEverywhere(page, other, new Editor(page, service, slug));
    expect(await storedIn(page)).toMatch(
      /Payload of the first.*Draft of the first|Draft of the first.*Payload of the first/,
    );
    expect(await storedIn(page)).toContain('Message of the first');
    await page.getByRole('button', { name: 'first-user' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    for (const left of [page, other]) {
      await left.getByRole('heading', { name: 'Log in to Millrace' }).waitFor();
      expect(await storedIn(left)).toBe('[[],[]]');
    }
    await page.context().unroute('**/graph/');
    await logIn(page, 'second-user');
    await expectNothingOfTheFirst(page, new Editor(page, service, slug));
  },
);

/** Imports a workflow as the admin, and makes users who may edit it. */
async function sharedWith(service: Service, users: readonly string[]): Promise<string> {
  const body = { yaml_str: shared_yaml };
  const { slug } = await service.call<{ slug: string }>('workflows/import/', { method: 'POST', body });
  for (const username of users) {
    await service.call('users/', { method: 'POST', body: { username, password } });
    const collaborator = { username, role: 'editor' };
    await service.call(`workflows/${slug}/collaborators/`, { method: 'POST', body: collaborator });
  }
  return slug;
}

async function logIn(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: username }).waitFor();
}

/** Sends a payload, writes a message in another tab, and makes an edit that cannot be saved. */
async function writeEverywhere(page: Page, other: Page, editor: Editor): Promise<void> {
  await editor.card('reply').waitFor();
  await runDialog(page);
  await page.getByRole('textbox', { name: 'Payload', exact: true }).fill('{"text": "Payload of the first"}');
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await other.goto(`${page.url()}/chat`);
  await other.getByRole('textbox', { name: 'Message' }).fill('Message of the first');
  await page.context().route('**/graph/', (route) => route.abort());
  await editor.card('reply').click();
  await templateField(page).fill('Draft of the first');
  await eventually(() => storedIn(page)).toContain('Draft of the first');
}

async function expectNothingOfTheFirst(page: Page, editor: Editor): Promise<void> {
  await editor.open();
  await editor.card('reply').click();
  expect(await templateField(page).textContent()).toBe('Before');
  await runDialog(page);
  await page.getByRole('tab', { name: 'Recent' }).click();
  await page.getByText('Payloads that you send from this browser appear here.').waitFor();
  expect(await storedIn(page)).not.toContain('of the first');
}

async function runDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More ways to run' }).click();
  await page.getByRole('menuitem', { name: 'Run with payload…' }).click();
}

function templateField(page: Page) {
  return page.getByLabel(/^Template/).first();
}

/** All texts that the browser has stored for the app, as JSON. */
function storedIn(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]));
}
