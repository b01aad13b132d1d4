import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { journey, type Scene } from '../harness/journey.ts';

const fragile = `
name: Fragile order
trigger: manual
steps:
  - id: order
    type: transform
    fields:
      number: '{{ trigger.payload.number }}'
  - id: report
    type: template
    template: 'Order {{ order.output.number }} of {{ trigger.payload.customer.name }}'
`;

const counted = `
name: Replayed order
trigger: manual
steps:
  - id: order
    type: transform
    fields:
      number: '{{ trigger.payload.number }}'
  - id: count
    type: state
    operation: increment
    key: replayed-orders
  - id: report
    type: template
    template: 'Order {{ order.output.number }}'
`;

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly replay_of: string | null;
  readonly logs: readonly {
    readonly node_id: string;
    readonly status: string;
    readonly output: unknown;
    readonly metadata: Readonly<Record<string, unknown>>;
  }[];
}

/** Runs a workflow to its end. */
async function run({ service }: Scene, slug: string, payload: object): Promise<Execution> {
  const { execution_id: id } = await service.call<Execution>(`workflows/${slug}/execute/`, {
    method: 'POST',
    body: { payload },
  });
  const read = () => service.call<Execution>(`executions/${id}/`);
  await eventually(async () => ['completed', 'failed'].includes((await read()).status)).toBe(true);
  return read();
}

journey('J10: a failed run leads to the field that failed, and to the last success', async (scene) => {
  const { page, service } = scene;
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: fragile },
  });
  await run(scene, slug, { number: 1, customer: { name: 'Ada' } });
  expect((await run(scene, slug, { number: 2 })).status).toBe('failed');
  /** Expects a view here, and in a new tab with the same address. */
  const expectView = async (isShown: (tab: Page) => Promise<unknown>): Promise<void> => {
    await isShown(page);
    const tab = await scene.newPage();
    await tab.goto(page.url());
    await isShown(tab);
    expect(tab.url()).toBe(page.url());
    await tab.close();
  };
  await scene.goto(`/runs?workflow=${slug}`);
  const rows = (tab: Page) => tab.getByRole('row').filter({ hasText: slug });
  await eventually(() => rows(page).count()).toBe(2);
  // Each hop is one choice or one click.
  await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
  await eventually(() => page.url()).toContain('status=failed');
  await expectView((tab) => eventually(() => rows(tab).count()).toBe(1));
  await rows(page).getByRole('link').click();
  await page.waitForURL(/\/runs\/[^?]{20,}/);
  // The step that failed is selected, and its row on the time axis.
  await expectView(async (tab) => {
    await tab.getByRole('region', { name: 'Step report' }).getByRole('alert').waitFor();
    await tab.getByRole('treeitem', { selected: true }).filter({ hasText: 'report' }).waitFor();
  });
  await page.getByRole('region', { name: 'Step report' }).getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL('**/runs/compare?**');
  await expectView(async (tab) => {
    for (const name of ['Before', 'After', 'Error']) await tab.getByRole('heading', { name }).waitFor();
    await tab.getByRole('alert').getByText('Field template').waitFor();
  });
  await scene.checkAccessibility();
  await page.getByRole('link', { name: 'Open in editor at this field' }).click();
  await page.waitForURL(`**/w/${slug}?**`);
  await expectView(async (tab) => {
    await tab.getByRole('complementary', { name: 'Settings of report' }).waitFor();
    expect(new URL(tab.url()).searchParams.get('field')).toBe('template');
  });
});

journey(
  'J11: a replay from a step reuses the steps before it and performs the others with a new input',
  async (scene) => {
    const { page, service } = scene;
    const { slug } = await service.call<{ slug: string }>('workflows/import/', {
      method: 'POST',
      body: { yaml_str: counted },
    });
    const { execution_id: id } = await run(scene, slug, { number: 3 });
    await scene.goto(`/runs/${id}?step=count`);
    await page.getByRole('button', { name: 'Replay from here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay from count' });
    const listed = (heading: string) =>
      dialog.locator('section', { has: page.getByRole('heading', { name: heading }) }).getByRole('listitem');
    await dialog.getByText('Reused (').waitFor();
    expect(await listed('Reused (2)').allTextContents()).toEqual(['start', 'order']);
    expect(await listed('Performed again (2)').allTextContents()).toEqual(['count', 'report']);
    await dialog.getByText('count changes stored state again').waitFor();
    expect(await dialog.getByLabel('Acts outside of the run').count()).toBe(1);
    await dialog.getByText('Change the input').click();
    await dialog.getByRole('textbox', { name: 'Outputs of order, by port' }).fill('{"output": {"number": 99}}');
    await scene.checkAccessibility();
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await eventually(() => page.url()).not.toContain(id);
    const newId = /runs\/([^?]+)/.exec(page.url())?.[1] ?? '';
    await eventually(async () => (await service.call<Execution>(`executions/${newId}/`)).status).toBe('completed');
    const replay = await service.call<Execution>(`executions/${newId}/`);
    const isReused = ({ metadata }: Execution['logs'][number]): boolean => metadata.reused_from !== undefined;
    expect(replay.logs.filter((log) => !isReused(log)).map(({ node_id: node }) => node)).toEqual(['count', 'report']);
    expect(JSON.stringify(replay.logs.find(({ node_id: node }) => node === 'report')?.output)).toContain('Order 99');
    // The new run leads to the one that it replays.
    expect(replay.replay_of).toBe(id);
    await page.getByRole('link', { name: id.slice(-8) }).click();
    await page.waitForURL(`**/runs/${id}`);
  },
);
