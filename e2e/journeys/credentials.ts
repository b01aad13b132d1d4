import { expect } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { modelKey } from '../harness/model-provider.ts';

interface Credential {
  readonly id: number;
  readonly name: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const wrongKey = 'sk-wrong-key-0123456789abcdefghijklmno';

const using = `
name: Uses a credential
trigger: manual
model: {model_name: large, credential: Renamed provider}
steps:
  - {id: answer, type: agent, prompt: Be brief.}
`;

journey(
  'J13: a credential is tested, corrected, renamed without its secret, and not deleted by mistake',
  async (scene) => {
    const { page, service, goto } = scene;
    const stored = async (): Promise<Credential | undefined> => {
      const { items } = await service.call<{ items: readonly Credential[] }>('credentials/?limit=100');
      return items.find(({ name }) => name.endsWith('provider') && name !== 'Model provider');
    };
    await goto('/credentials');
    await page.getByRole('button', { name: 'New credential' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('My provider');
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(scene.model.url);
    await dialog.getByRole('textbox', { name: 'API key' }).fill(wrongKey);
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    await dialog.getByText('The provider rejected the API key (status 401).').waitFor();
    await dialog.getByText('sk-w****lmno').waitFor();
    await dialog.getByRole('button', { name: 'Replace API key' }).click();
    await dialog.getByRole('textbox', { name: 'API key' }).fill(modelKey);
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    await dialog.getByText(/^The key works/).waitFor();
    await dialog.getByText('sk-g****mnop').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    const row = page.getByRole('row').filter({ hasText: 'My provider' });
    await row.getByRole('button', { name: 'Actions for My provider' }).click();
    await page.getByRole('menuitem', { name: 'Models' }).click();
    await page.getByRole('dialog').getByText('large').waitFor();
    await page.keyboard.press('Escape');
    const bodies: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') bodies.push(request.postDataJSON());
    });
    await row.getByRole('button', { name: 'Actions for My provider' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Renamed provider');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'Renamed provider' }).waitFor();
    expect(bodies).toEqual([{ name: 'Renamed provider' }]);
    await page.reload();
    // The stored key is unchanged: the provider accepts it.
    const id = (await stored())?.id;
    expect(await service.call(`credentials/${id}/test/`, { method: 'POST' })).toMatchObject({ ok: true });
    await service.call('workflows/import/', { method: 'POST', body: { yaml_str: using } });
    await page.getByRole('button', { name: 'Actions for Renamed provider' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('1 node uses this credential.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await eventually(async () => (await stored())?.name).toBe('Renamed provider');
  },
);
