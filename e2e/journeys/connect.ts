import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

const wiring = `
name: Illegal wiring
nodes:
  - {id: start, type: trigger_manual}
  - {id: first, type: template, template: One}
  - {id: model, type: ai_model}
edges:
  - start -> first
layout:
  start: [0, 0]
  first: [320, 0]
  model: [0, 240]
`;

journey('J04: a connection that the rules forbid is rejected with its reason', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, wiring);
  const before = contentOf(await editor.stored());
  const target = editor.port(['first', 'in']);
  await editor.hold(['model', 'sub'], ['first', 'in']);
  await eventually(() => target.getAttribute('aria-disabled')).toBe('true');
  const reason = (await target.getAttribute('title')) ?? '';
  expect(reason).toBe('This output only fills slots, such as those of an agent.');
  await page.mouse.up();
  await page.getByRole('status').getByText(reason).waitFor();
  expect(await target.getAttribute('aria-disabled')).toBe('false');
  expect(contentOf(await editor.stored())).toEqual(before);
  // A request that the browser would not send: the trigger becomes the target of the connection.
  scene.expectFailure({ url: /\/graph\/$/, status: 422 });
  let forged = 0;
  await page.route('**/graph/', async (route) => {
    const body = route.request().postData() ?? '';
    forged += 1;
    await route.continue({ postData: body.replace('"target_node_id":"wait"', '"target_node_id":"start"') });
  });
  await page.getByRole('button', { name: 'Add a node after first' }).click();
  await page.getByRole('combobox', { name: 'Search node types' }).fill('wait');
  await page.keyboard.press('Enter');
  await page.getByText('“Add Wait” was not saved.', { exact: true }).waitFor();
  await page
    .getByRole('main')
    .getByText(/is not compatible with target 'trigger_manual', which has no input$/)
    .first()
    .waitFor();
  expect(forged).toBe(1);
  await eventually(() => page.locator('.react-flow__edge').count()).toBe(1);
  await page.unroute('**/graph/');
  expect(contentOf(await editor.stored())).toEqual(before);
  await page.getByRole('button', { name: 'Try again' }).click();
  await editor.expectStored(({ edges }) => expect(edges.at(-1)).toMatchObject({ target_node_id: 'wait' }));
});

const list = `
name: Seven items
trigger: manual
steps:
  - id: numbers
    type: transform
    fields:
      items: [1, 2, 3, 4, 5, 6, 7]
`;

journey('J06: a loop is drawn, runs seven items, and its iterations are looked at one by one', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, list);
  const fitView = (): Promise<void> => page.getByRole('button', { name: 'Fit view' }).click();
  await page.getByRole('button', { name: 'Add a node after numbers' }).click();
  await page.getByRole('combobox', { name: 'Search node types' }).fill('loop');
  await page.keyboard.press('Enter');
  await editor.card('loop').waitFor();
  await page.getByRole('button', { name: 'Use an expression for Items' }).click();
  await page.keyboard.type('numbers.output.items');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await fitView();
  await editor.pull(['loop', 'body'], { dx: 30, dy: 160 });
  await page.getByRole('option', { name: /^Template/ }).click();
  await page.getByRole('textbox', { name: 'Template' }).click();
  await page.keyboard.type('Item {{ loop.item');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await fitView();
  await editor.connect(['template', 'out'], ['loop', 'return']);
  await editor.expectStored(({ edges }) =>
    expect(edges.map((edge) => edge.edge_label)).toEqual(['', '', 'loop_body', 'loop_return']),
  );
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('7 of 7').waitFor();
  const next = page.getByRole('button', { name: 'Next iteration' });
  await next.click();
  await page.getByText('loop: 1 of 7').waitFor();
  await editor.card('template').click();
  await page.getByRole('tab', { name: 'Output' }).click();
  const output = page.getByRole('tabpanel', { name: 'Output' });
  await output.getByText('"Item 1"').waitFor();
  await next.click();
  await output.getByText('"Item 2"').waitFor();
  for (let click = 2; click < 7; click += 1) await next.click();
  await output.getByText('"Item 7"').waitFor();
  expect(await next.isDisabled()).toBe(true);
});
