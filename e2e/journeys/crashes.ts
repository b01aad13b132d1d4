import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey, type Scene } from '../harness/journey.ts';
import { adminKey } from '../harness/service.ts';

const chain = (name: string, length: number) => `
name: ${name}
trigger: manual
steps:
${Array.from({ length }, (_, at) => `  - id: step_${at}\n    type: template\n    template: 'Text ${at}'`).join('\n')}
`;

/**
 * Makes an edit and kills the page while the edit is saved: before the service has it, or after it, when the answer was
 * not read. The new page of the same browser then shows the draft.
 */
async function killedDuring(scene: Scene, editor: Editor, when: 'before' | 'after', edit: () => Promise<void>) {
  const { page, service } = scene;
  const context = page.context();
  let isReached = false;
  scene.expectFailure({ url: /\/graph\/$/, status: 0 });
  await context.route('**/graph/', async (route) => {
    // A request that is only held back would be sent when the page is closed.
    if (when === 'before') await route.abort();
    else await route.fetch();
    isReached = true;
  });
  await edit();
  await eventually(() => isReached).toBe(true);
  await page.close();
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  const stored = await editor.stored();
  const reopened = await scene.newPage();
  const again = new Editor(reopened, service, editor.slug);
  await again.open();
  return { stored, again, reopened };
}

const saved = (page: Page) => page.getByText('Saved', { exact: true }).first().waitFor();

for (const when of ['before', 'after'] as const) {
  journey(
    `J18: a page is killed ${when} the service saves a paste of 30 nodes, which is all or nothing`,
    async (scene) => {
      const { page, service } = scene;
      const editor = await Editor.create(page, service, chain(`Killed ${when} a save`, 29));
      const before = await editor.stored();
      expect(before.nodes).toHaveLength(30);
      await editor.card('step_0').getByRole('group').focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+c');
      const { stored, again, reopened } = await killedDuring(scene, editor, when, () =>
        page.keyboard.press('Control+v'),
      );
      if (when === 'before') expect(contentOf(stored)).toEqual(contentOf(before));
      else expect(stored.nodes).toHaveLength(60);
      await again.expectStored(({ nodes }) => expect(nodes).toHaveLength(60));
      await saved(reopened);
      // An edit that the service has already is not made twice.
      await reopened.locator('[aria-label^="Graph: 60 nodes"]').waitFor();
      expect((await again.stored()).nodes).toHaveLength(60);
    },
  );
}

journey(
  'J18: a page is killed after its session has expired, and the edit is saved after the next login',
  async (scene) => {
    const { page, service } = scene;
    const editor = await Editor.create(page, service, chain('Killed without a session', 2));
    const before = await editor.stored();
    const context = page.context();
    scene.expectFailure({ url: /\/api\/v1\//, status: 401 });
    scene.expectFailure({ url: /\/ws\//, status: 401 });
    // The dialog of the ended session covers the page as soon as any request shows the end.
    await page.getByRole('button', { name: 'Add node' }).click();
    await page.getByRole('combobox', { name: 'Search node types' }).fill('wait');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await page.close();
    expect(contentOf(await editor.stored())).toEqual(contentOf(before));
    const headers = { origin: service.url };
    await context.request.post(`${service.url}/api/v1/auth/session/`, { headers, data: { api_key: adminKey } });
    // Another page of the same browser, which has the draft.
    const reopened = await scene.newPage();
    const again = new Editor(reopened, service, editor.slug);
    await again.open();
    await again.expectStored(({ nodes }) => expect(nodes).toHaveLength(before.nodes.length + 1));
    await saved(reopened);
  },
);
