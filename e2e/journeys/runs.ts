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

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly logs: readonly { readonly node_id: string; readonly status: string; readonly output: unknown }[];
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
  await scene.goto(`/runs?status=failed&workflow=${slug}`);
  await page.getByRole('row').filter({ hasText: 'Failed' }).getByRole('link').first().click();
  const step = page.getByRole('region', { name: 'Step report' });
  await step.getByRole('alert').waitFor();
  await eventually(() => page.url()).toContain('/runs/');
  const link = page.url();
  await step.getByRole('link', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'Before' }).waitFor();
  await page.getByRole('heading', { name: 'Error' }).waitFor();
  // The address of a view shows the same in another tab.
  const other = await scene.newPage();
  await other.goto(link);
  const field = other.getByRole('link', { name: /^Open in editor/ });
  await field.click();
  await other.getByRole('complementary', { name: 'Settings of report' }).waitFor();
  expect(other.url()).toContain(`/w/${slug}`);
});

journey(
  'J11: a replay from a step reuses the steps before it and performs the others with a new input',
  async (scene) => {
    const { page, service } = scene;
    const { slug } = await service.call<{ slug: string }>('workflows/import/', {
      method: 'POST',
      body: { yaml_str: fragile.replace('Fragile', 'Replayed') },
    });
    const { execution_id: id } = await run(scene, slug, { number: 3, customer: { name: 'Ada' } });
    await scene.goto(`/runs/${id}?step=report`);
    await page.getByRole('button', { name: 'Replay from here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay from report' });
    await dialog.getByText('Reused (').waitFor();
    await dialog.getByText('Change the input').click();
    await dialog.getByRole('textbox', { name: 'Outputs of order, by port' }).fill('{"output": {"number": 99}}');
    await scene.checkAccessibility();
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await eventually(() => page.url()).not.toContain(id);
    const newId = /runs\/([^?]+)/.exec(page.url())?.[1] ?? '';
    await eventually(async () => (await service.call<Execution>(`executions/${newId}/`)).status).toBe('completed');
    const replay = await service.call<Execution>(`executions/${newId}/`);
    expect(JSON.stringify(replay.logs.find(({ node_id: node }) => node === 'report')?.output)).toContain(
      'Order 99 of Ada',
    );
  },
);
