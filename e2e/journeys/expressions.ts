import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey, type Scene } from '../harness/journey.ts';

const greeting = `
name: Expressions
trigger: manual
steps:
  - id: first
    type: transform
    fields: {customer: {name: '{{ trigger.payload.name }}'}}
  - id: second
    type: template
    template: Hi
`;

/** The output of a run of the workflow. */
async function outputFor({ service }: Scene, name: string): Promise<unknown> {
  const path = 'workflows/expressions/execute/';
  const body = { payload: { name }, wait: true };
  const { final_output: output } = await service.call<{ final_output: unknown }>(path, { method: 'POST', body });
  return output;
}

journey('J07: an expression is completed from real data, previewed, and reported when it breaks', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, greeting);
  await service.call('workflows/expressions/execute/', {
    method: 'POST',
    body: { payload: { name: 'Ada' }, wait: true },
  });
  await page.reload();
  await editor.card('second').click();
  const template = page.getByRole('textbox', { name: 'Template' });
  await template.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Hello {{fir');
  const suggestion = (name: string) =>
    page.locator('[role=option][id^=cm-ac]').filter({ hasText: new RegExp(`^${name}`) });
  const complete = async (option: string): Promise<void> => {
    await suggestion(option).waitFor();
    const opened = Date.now();
    // A list that has just opened ignores Enter, which may have been meant for the text.
    await eventually(() => Date.now() - opened > 200).toBe(true);
    await page.keyboard.press('Enter');
  };
  await complete('first');
  for (const name of ['output', 'customer', 'name']) {
    await page.keyboard.type('.');
    await complete(name);
  }
  const preview = page.getByRole('status').filter({ hasText: 'Data of run' });
  await preview.getByText('Hello Ada').waitFor();
  await editor.expectStored(({ nodes }) => {
    const config = nodes.find((node) => node.node_id === 'second')?.config;
    expect(config).toMatchObject({ extra_config: { template: 'Hello {{ first.output.customer.name }}' } });
  });
  expect(await outputFor(scene, 'Grace')).toBe('Hello Grace');
  // A label is for people: expressions name the id of a node, which stays.
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await editor.card('first').click();
  await page.getByRole('textbox', { name: 'Label' }).fill('Customer');
  await page.keyboard.press('Tab');
  await editor.expectStored(({ nodes }) => {
    expect(nodes.find((node) => node.node_id === 'first')?.label).toBe('Customer');
  });
  expect(await outputFor(scene, 'Edsger')).toBe('Hello Edsger');
  await page.getByRole('button', { name: 'Delete node' }).click();
  await page.getByRole('button', { name: /^[1-9]\d* problem/ }).click();
  await page.getByRole('region', { name: 'Problems' }).getByRole('button', { name: /first/ }).click();
  await page.getByRole('complementary', { name: 'Settings of second' }).waitFor();
  await eventually(() => page.evaluate(`document.activeElement?.closest('[data-field]')?.dataset.field ?? ''`)).toMatch(
    /template$/,
  );
});
