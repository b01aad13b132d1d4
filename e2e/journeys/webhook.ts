import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { journey } from '../harness/journey.ts';
import { adminKey } from '../harness/service.ts';

const run = promisify(execFile);

const hook = `
name: Orders in
trigger: {type: webhook, response_mode: last_node}
steps:
  - {id: greet, type: template, template: 'Hello {{ trigger.payload.name }}'}
`;

journey('J14: the copied command calls the webhook, and the page shows the call', async (scene) => {
  const { page, service, goto } = scene;
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: hook },
  });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await goto(`/w/${slug}/triggers`);
  await page.getByText('No call yet. Copy the command above and run it.').waitFor();
  const copied = async (): Promise<string> => {
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    return page.evaluate('navigator.clipboard.readText()');
  };
  const command = await copied();
  expect(command).toContain(`/api/v1/webhooks/${slug}'`);
  // As a person pastes it: only the variable for the key is set.
  const shell = (text: string, key: string) =>
    run('bash', ['-c', text], { env: { ...process.env, MILLRACE_KEY: key } });
  expect((await shell(command, adminKey)).stdout).toBe('"Hello Ada"');
  await page.getByRole('listitem').filter({ hasText: 'Succeeded' }).getByRole('link').waitFor();
  expect((await shell(command, 'sk-wrong')).stdout).toBe('{"detail":"Invalid or missing API key"}');
  await page.getByRole('listitem').filter({ hasText: 'Succeeded' }).getByRole('link').click();
  await page.waitForURL(/\/runs\//);
  // Another slug is another address: the old one says so.
  await goto(`/w/${slug}/settings`);
  await page.getByRole('textbox', { name: 'Slug' }).fill('new-orders');
  await page.getByText(/These addresses stop working/).waitFor();
  await page.getByRole('button', { name: 'Change the slug' }).click();
  await page.waitForURL(/\/w\/new-orders\/settings$/);
  expect(JSON.parse((await shell(command, adminKey)).stdout)).toEqual({ detail: expect.any(String) });
  await goto('/w/new-orders/triggers');
  expect((await shell(await copied(), adminKey)).stdout).toBe('"Hello Ada"');
});
