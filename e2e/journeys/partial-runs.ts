import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

const sampled = `
name: Sampled order
trigger: manual
steps:
  - id: order
    type: transform
    fields:
      number: '{{ trigger.payload.number }}'
  - id: report
    type: template
    template: 'Order {{ order.output.number }}'
  - id: archive
    type: template
    template: 'Archived: {{ report.output }}'
`;

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly to_node: string | null;
  readonly final_output: unknown;
  readonly logs: readonly { readonly node_id: string; readonly metadata: Readonly<Record<string, unknown>> }[];
}

journey('J08: a sample, a pinned output, a run to a node, one node alone, and outputs out of date', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, sampled);
  /** The execution that the canvas shows, once it has completed: not the one before. */
  let shown = '';
  const completed = async (): Promise<Execution> => {
    const id = () => new URL(page.url()).searchParams.get('run') ?? '';
    await eventually(() => id() !== shown && id() !== '').toBe(true);
    shown = id();
    await eventually(async () => (await service.call<Execution>(`executions/${shown}/`)).status).toBe('completed');
    return service.call<Execution>(`executions/${shown}/`);
  };
  const choose = async (way: string): Promise<void> => {
    await page.getByRole('button', { name: 'More ways to run' }).click();
    await page.getByRole('menuitem', { name: way }).click();
  };
  const bar = page.getByRole('region', { name: 'Run on the canvas' });
  await choose('Run with payload…');
  const dialog = page.getByRole('dialog', { name: 'Run with payload' });
  await dialog.getByRole('textbox', { name: 'Payload', exact: true }).fill('{"number": 5}');
  await dialog.getByRole('textbox', { name: 'Save the payload as' }).fill('Five');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Payload', exact: true }).fill('{}');
  await dialog.getByRole('button', { name: /^Five/ }).click();
  await scene.checkAccessibility();
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  expect((await completed()).final_output).toBe('Archived: Order 5');

  // A pin: its node is not performed, and the bar counts it.
  await page.getByRole('link', { name: 'Open run' }).click();
  await page.getByRole('treeitem').filter({ hasText: 'order' }).first().click();
  await page.getByRole('button', { name: 'Pin output' }).click();
  await page.getByRole('button', { name: 'Unpin output' }).waitFor();
  await editor.open();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const withPin = await completed();
  expect(withPin.final_output).toBe('Archived: Order 5');
  expect(withPin.logs.find(({ node_id: node }) => node === 'order')?.metadata).toEqual({ pinned: true });
  await bar.getByText('1 pin active').waitFor();

  // Only the nodes before the selected one run, then only that one.
  await editor.card('report').click();
  await choose('Run to report');
  expect((await completed()).logs.map(({ node_id: node }) => node)).toEqual(['start', 'order', 'report']);
  await bar.getByText('Up to report').waitFor();
  await choose('Run only report');
  const alone = await completed();
  expect(alone.to_node).toBe('report');
  const isReused = ({ metadata }: Execution['logs'][number]): boolean => metadata.reused_from !== undefined;
  expect(alone.logs.filter((log) => !isReused(log)).map(({ node_id: node }) => node)).toEqual(['report']);

  // The outputs of a changed node and of the nodes after it are out of date, with the reason.
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await completed();
  await service.call(`workflows/${editor.slug}/nodes/report/`, {
    method: 'PATCH',
    body: { config: { extra_config: { template: 'Report {{ order.output.number }}' } } },
  });
  await editor.card('report').getByText('Out of date: Its settings changed since this output.').waitFor();
  // Cards behind the settings are not drawn.
  await page.getByRole('complementary', { name: 'Settings of report' }).getByRole('button', { name: 'Close' }).click();
  await editor.card('archive').getByText('Out of date: report, before it, changed since this output.').waitFor();
  await page.reload();
  await editor.card('report').getByText('Out of date: Its settings changed since this output.').waitFor();
});
