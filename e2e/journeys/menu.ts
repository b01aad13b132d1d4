import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

const chain = `
name: Menu of the canvas
trigger: manual
steps:
  - id: first
    type: template
    template: One
  - id: second
    type: template
    template: Two
`;

journey('the right button and the menu key open the actions of a node, a connection and the canvas', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, chain);
  const menu = page.getByRole('menu');
  const names = async () => (await menu.getByRole('menuitem').allTextContents()).map((text) => text.trim());

  await editor.card('second').click({ button: 'right' });
  await eventually(names).toContainEqual(expect.stringMatching(/^Run to the selected node/));
  await scene.checkAccessibility();
  await menu.getByRole('menuitem', { name: /^Rename/ }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Renamed');
  await page.keyboard.press('Enter');
  await editor.expectStored(({ nodes }) => expect(nodes.map(({ label }) => label)).toContain('Renamed'));

  await page.getByRole('group', { name: 'Connection from first to second' }).focus();
  await page.keyboard.press('Shift+F10');
  await eventually(names).toEqual([expect.stringMatching(/^Insert a node/), expect.stringMatching(/^Delete/)]);
  await menu.getByRole('menuitem', { name: /^Insert a node/ }).click();
  await page.getByRole('combobox', { name: 'Search node types' }).fill('filter');
  await page.keyboard.press('Enter');
  await editor.expectStored(({ edges }) => expect(edges.at(-1)).toMatchObject({ target_node_id: 'second' }));
  await editor.undo();
  await editor.expectStored(({ nodes }) => expect(nodes).toHaveLength(3));
  await page.getByRole('group', { name: 'Connection from first to second' }).focus();
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: /^Delete/ }).click();
  await editor.expectStored(({ edges }) => expect(edges).toHaveLength(1));

  // The new node comes where the menu was opened.
  const canvas = page.locator('.react-flow__pane');
  await canvas.click({ button: 'right', position: { x: 120, y: 500 } });
  await eventually(names).toContainEqual(expect.stringMatching(/^Add a node/));
  await menu.getByRole('menuitem', { name: /^Add a node/ }).click();
  await page.getByRole('combobox', { name: 'Search node types' }).fill('wait');
  await page.keyboard.press('Enter');
  await editor.expectStored(({ nodes }) => expect(nodes).toHaveLength(4));

  await canvas.click({ position: { x: 700, y: 20 } });
  await page.keyboard.press('Control+a');
  await editor.card('first').click({ button: 'right' });
  await menu.getByRole('menuitem', { name: 'Align the selected nodes at the top' }).click();
  await editor.expectStored(({ nodes }) => expect(new Set(nodes.map((node) => node.position_y)).size).toBe(1));
  await editor.undo();
  await canvas.click({ position: { x: 700, y: 20 } });

  await editor.card('first').getByRole('group').focus();
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: /^Duplicate/ }).waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: /^Duplicate/ }).click();
  await editor.expectStored(({ nodes }) => expect(nodes).toHaveLength(5));

  const isActive = async (name: string) =>
    (await editor.stored()).nodes.find(({ node_id: id }) => id === name)?.config.is_active;
  await editor.card('second').getByRole('group').focus();
  await page.keyboard.press('d');
  await eventually(() => isActive('second')).toBe(false);
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: /^Disable or enable/ }).click();
  await eventually(() => isActive('second')).toBe(true);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await editor.card('second').getByRole('group').focus();
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: 'Copy', exact: true }).click();
  await eventually(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain('type: template');
  await canvas.click({ button: 'right', position: { x: 500, y: 100 } });
  await menu.getByRole('menuitem', { name: 'Paste', exact: true }).click();
  await editor.expectStored(({ nodes }) => expect(nodes).toHaveLength(6));
});
