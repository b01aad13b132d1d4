import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { adminKey } from '../harness/service.ts';

const yaml_str = `
name: Settings
slug: settings-of-one
trigger: webhook
steps:
  - id: reply
    type: template
    template: '{{ vars.region }}'
`;

journey('the settings of a workflow change its fields, share it, and rename its addresses', async (scene) => {
  const { page, service } = scene;
  await service.call('workflows/import/', { method: 'POST', body: { yaml_str } });
  await service.call('users/', { method: 'POST', body: { username: 'settings-reader' } });
  await scene.goto('/w/settings-of-one');
  await page.getByRole('link', { name: 'Settings of the workflow' }).click();
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  await section('General').getByLabel('Tags').fill('one, two');
  await section('General').getByRole('button', { name: 'Save' }).click();
  await section('General').getByText('Saved').waitFor();
  await section('Variables').getByRole('button', { name: 'Add variable' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a variable' });
  await dialog.getByLabel('Name').fill('token');
  await dialog.getByLabel(/^Secret/).check();
  await dialog.getByLabel('Value').fill('a-secret-of-twenty-letters');
  await dialog.getByLabel('Allowed hosts').fill('crm.example');
  await scene.checkAccessibility();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await section('Variables').getByText('Sent only to crm.example').waitFor();
  expect(await page.content()).not.toContain('a-secret-of-twenty-letters');
  await section('Sharing').getByLabel('User name').fill('settings-reader');
  await section('Sharing').getByRole('button', { name: 'Share' }).click();
  const changed = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await section('Sharing').getByLabel('Role of settings-reader').selectOption('editor');
  await changed;
  await section('Address').getByLabel('Slug').fill('settings-renamed');
  await section('Address').getByText('/api/v1/webhooks/settings-of-one →').waitFor();
  await section('Address').getByRole('button', { name: 'Change the slug' }).click();
  await page.waitForURL('**/w/settings-renamed/settings');
  expect(await service.call<object>('workflows/settings-renamed/')).toMatchObject({ tags: ['one', 'two'] });
  await section('Sharing').getByLabel('Role of settings-reader').waitFor();
  expect(await service.call<object>('workflows/settings-renamed/collaborators/')).toMatchObject([{ role: 'editor' }]);
});

const shared = yaml_str
  .replace('name: Settings', 'name: Shared settings')
  .replace('settings-of-one', 'shared-settings');

journey('two people who change the same settings are asked which values stay', async (scene) => {
  const { page, service } = scene;
  await service.call('workflows/import/', { method: 'POST', body: { yaml_str: shared } });
  const variables = 'workflows/shared-settings/variables/';
  await service.call(variables, { method: 'POST', body: { name: 'region', value: 'north' } });
  const other = await scene.newPage(adminKey);
  const stored = () => service.call<object>('workflows/shared-settings/');
  const general = (on: Page) => on.getByRole('region', { name: 'General', exact: true });
  const conflict = other.getByRole('region', { name: 'Conflict' });
  for (const on of [page, other]) {
    await on.goto(`${service.url}/w/shared-settings/settings`);
    await general(on).getByLabel('Name').waitFor();
  }
  await general(page).getByLabel('Name').fill('First');
  await general(page).getByText('Not saved yet').waitFor();
  await general(page).getByRole('button', { name: 'Save' }).click();
  await general(page).getByText('Saved', { exact: true }).waitFor();

  // Another field of the same form is no conflict, and the name of the other person stays.
  await general(other).getByLabel('Description').fill('Of both');
  await general(other).getByRole('button', { name: 'Save' }).click();
  await general(other).getByText('Saved', { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ name: 'First', description: 'Of both' });
  expect(await general(other).getByLabel('Name').inputValue()).toBe('First');

  await general(other).getByLabel('Name').fill('Second');
  await general(page).getByLabel('Name').fill('Third');
  await general(page).getByRole('button', { name: 'Save' }).click();
  await eventually(stored).toMatchObject({ name: 'Third' });
  await general(other).getByRole('button', { name: 'Save' }).click();
  await conflict.getByText('Second', { exact: true }).waitFor();
  await conflict.getByText('Third', { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ name: 'Third' });
  await scene.checkAccessibility(other);
  await conflict.getByRole('button', { name: 'Take theirs' }).click();
  await conflict.waitFor({ state: 'detached' });
  expect(await general(other).getByLabel('Name').inputValue()).toBe('Third');

  // The same for a variable.
  await other.getByRole('button', { name: 'Edit region' }).click();
  await other.getByLabel('Value').fill('south');
  await service.call(`${variables}region/`, { method: 'PATCH', body: { value: 'east' } });
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await conflict.getByText('east', { exact: true }).waitFor();
  await conflict.getByRole('button', { name: 'Keep mine' }).click();
  await conflict.waitFor({ state: 'detached' });
  expect(await service.call<object>(variables)).toMatchObject({ items: [{ name: 'region', value: 'south' }] });
});

journey('an API key is shown once and revoked, and an admin adds a user', async (scene) => {
  const { page, service } = scene;
  await scene.goto('/workflows');
  await page.getByRole('button', { name: 'admin' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Password' }).waitFor();
  await scene.checkAccessibility();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByLabel('Name').fill('nightly job');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByRole('status').locator('code').textContent();
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${service.url}/api/v1/users/me/`, { headers })).status).toBe(200);
  await scene.checkAccessibility();
  await page.reload();
  await page.getByText('nightly job').waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke nightly job' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('nightly job', { exact: true }).waitFor({ state: 'detached' });
  expect((await fetch(`${service.url}/api/v1/users/me/`, { headers })).status).toBe(401);
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByLabel('User name').fill('added-in-settings');
  await page.getByLabel('First password').fill('a password of several words');
  await page.getByRole('button', { name: 'Add user' }).click();
  const changed = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByLabel('Role of added-in-settings').selectOption('admin');
  await changed;
  const login = { username: 'added-in-settings', password: 'a password of several words' };
  const { token } = await service.call<{ token: string }>('auth/token/', { method: 'POST', body: login });
  const ofUser = { authorization: `Bearer ${token}` };
  await page.getByRole('button', { name: 'Keys of added-in-settings' }).click();
  await page.getByRole('dialog').getByText('Session', { exact: true }).waitFor();
  await scene.checkAccessibility();
  await page.getByRole('button', { name: 'Revoke all…' }).click();
  await page.getByRole('button', { name: 'Revoke all 1' }).click();
  await page.getByText('There are no keys and sessions.').waitFor();
  expect((await fetch(`${service.url}/api/v1/users/me/`, { headers: ofUser })).status).toBe(401);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Delete added-in-settings' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('added-in-settings', { exact: true }).waitFor({ state: 'detached' });
});

journey('facts are added, searched, changed and deleted', async (scene) => {
  const { page, service } = scene;
  const about = (key: string) => `memory/facts/?${new URLSearchParams({ scope: 'user', user_id: 'customer-17', key })}`;
  for (const [key, value] of [
    ['language', 'German'],
    ['home', { city: 'Zürich' }],
  ] as const)
    await service.call(about(key), { method: 'PUT', body: { value } });
  await scene.goto('/settings/memory');
  const shared = page.getByRole('region', { name: 'Shared facts' });
  await shared.getByText('There are no facts yet.').waitFor();
  await shared.getByRole('button', { name: 'Add fact' }).click();
  await page.getByRole('dialog').getByLabel('Key').fill('opening hours');
  await page.getByRole('dialog').getByLabel('Value').fill('{"monday": 9}');
  await scene.checkAccessibility();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await shared.getByText('{"monday":9}').waitFor();
  const person = page.getByRole('region', { name: 'People' });
  await person.getByLabel('User id').fill('customer-17');
  await person.getByRole('button', { name: 'Show' }).click();
  await person.getByText('German').waitFor();
  await person.getByRole('searchbox', { name: 'Search facts' }).fill('zurich');
  await person.getByText('German').waitFor({ state: 'detached' });
  await person.getByRole('button', { name: 'Edit home' }).click();
  await page.getByRole('dialog').getByLabel('Value').fill('Basel');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await person.getByText('No fact has these words.').waitFor();
  await person.getByRole('searchbox').fill('');
  await person.getByText('Basel').waitFor();
  await scene.checkAccessibility();
  await person.getByRole('button', { name: 'Delete language' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await person.getByText('German').waitFor({ state: 'detached' });
  expect(await service.call<object>(about('home'))).toMatchObject({ items: [{ value: 'Basel' }] });
  expect(await service.call<object>(about('language'))).toMatchObject({ total: 0 });
});

const rememberer = `
name: Remembers people
slug: remembers-people
trigger: manual
steps:
  - id: person
    type: identify_user
    channel: shop
    external_id: '17'
    name: Zoë
  - id: note
    type: memory_write
    scope: user
    user_id: '{{ person.user_id }}'
    key: language
    value: German
`;

journey('a person whom a workflow knows is found by name, and forgotten with the facts', async (scene) => {
  const { page, service } = scene;
  await service.call('workflows/import/', { method: 'POST', body: { yaml_str: rememberer } });
  await service.call('workflows/remembers-people/execute/', { method: 'POST', body: { payload: {}, wait: true } });
  await scene.goto('/settings/memory');
  const people = page.getByRole('region', { name: 'People' });
  await people.getByLabel('User id').fill('zo');
  await people.getByText('shop: 17').waitFor();
  await people.getByRole('button', { name: 'Facts about Zoë' }).click();
  await people.getByText('German').waitFor();
  await scene.checkAccessibility();
  await people.getByRole('button', { name: 'Forget Zoë' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
  // The page behind an open dialog is hidden, and so is the person.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await people.getByText('shop: 17').waitFor({ state: 'detached' });
  expect(await service.call<object>('memory/people/')).toMatchObject({ total: 0 });
});

journey('a viewer of a shared workflow reads its graph and sees that it cannot be changed', async (scene) => {
  const { page: ownPage, service } = scene;
  const own = await Editor.create(ownPage, service, yaml_str.replace(/settings-of-one|Settings/g, 'shared-to-read'));
  const login = { username: 'only-reader', password: 'a long sentence' };
  await service.call('users/', { method: 'POST', body: login });
  const { token } = await service.call<{ token: string }>('auth/token/', { method: 'POST', body: login });
  await service.call(`workflows/${own.slug}/collaborators/`, {
    method: 'POST',
    body: { username: 'only-reader', role: 'viewer' },
  });
  const before = contentOf(await own.stored());
  const page = await scene.newPage(token);
  await page.goto(`${service.url}/w/${own.slug}`);
  const reader = new Editor(page, service, own.slug);
  await page.getByText('Read only', { exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Add node' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^(Publish|Run)/ }).count()).toBe(0);
  await reader.card('reply').click();
  await page
    .getByLabel(/^Template/)
    .first()
    .fill('Changed');
  await page.getByText('You can read this workflow, but not change it.').waitFor();
  await reader.card('reply').getByRole('group').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.press('Delete');
  expect(await reader.card('reply').count()).toBe(1);
  expect(contentOf(await own.stored())).toEqual(before);
});
