import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

const chain = `
name: Groups
nodes:
  - {id: start, type: trigger_manual}
  - {id: first, type: template, template: One}
  - {id: second, type: template, template: Two}
  - {id: last, type: template, template: Three}
edges:
  - start -> first
  - first -> second
  - second -> last
layout:
  start: [0, 0]
  first: [320, 0]
  second: [320, 160]
  last: [720, 0]
`;

journey('nodes on a note are a group, which moves, is resized and is laid out as a whole', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, chain);
  const nodeOf = async (name: string) => (await editor.stored()).nodes.find(({ node_id: id }) => id === name);
  const placeOf = async (name: string) => {
    const node = await nodeOf(name);
    return [node?.position_x, node?.position_y];
  };
  const canvas = page.locator('.react-flow__pane');

  await editor.card('first').click({ modifiers: ['ControlOrMeta'] });
  await editor.card('second').click({ modifiers: ['ControlOrMeta'] });
  await page.keyboard.press('Control+g');
  await editor.expectStored(({ nodes }) => expect(nodes).toHaveLength(5));
  const group = page.getByRole('group', { name: 'group, Note' });
  await group.getByText('Group', { exact: true }).waitFor();
  expect(await placeOf('group')).toEqual([296, -64]);
  expect((await nodeOf('group'))?.config.extra_config).toMatchObject({ width: 264, height: 312 });
  await scene.checkAccessibility();

  // Its text is edited beside it, as the settings of each node.
  await page.getByRole('textbox', { name: 'text', exact: false }).first().fill('## Fetch\n\nTwice a **day**.');
  await group.getByText('Fetch', { exact: true }).waitFor();
  await group.getByText('day', { exact: true }).waitFor();

  // The nodes on it follow its note, also those that are not selected; one edit undoes it.
  const box = await group.boundingBox();
  if (box === null) throw new Error('the group is not visible');
  const from = { x: box.x + box.width / 2, y: box.y + 6 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y + 40, { steps: 5 });
  await page.mouse.move(from.x + 80, from.y + 80, { steps: 5 });
  await page.mouse.up();
  await eventually(async () => (await placeOf('first'))[0]).toBeGreaterThan(320);
  const [[left = 0, top = 0], [x = 0, y = 0], [below, under], last] = [
    await placeOf('group'),
    await placeOf('first'),
    await placeOf('second'),
    await placeOf('last'),
  ];
  expect([x - left, y - top]).toEqual([320 - 296, 0 + 64]);
  expect([below, under]).toEqual([x, y + 160]);
  expect(last).toEqual([720, 0]);
  await editor.undo();
  await eventually(() => placeOf('first')).toEqual([320, 0]);
  expect(await placeOf('group')).toEqual([296, -64]);

  // With the keyboard, the same.
  await group.focus();
  await page.keyboard.press('Alt+ArrowDown');
  await eventually(() => placeOf('second')).toEqual([320, 168]);
  expect(await placeOf('group')).toEqual([296, -56]);

  // A corner resizes it.
  await group.click({ position: { x: 60, y: 8 } });
  const corner = page.locator('.react-flow__resize-control.handle.bottom.right');
  const at = await corner.boundingBox();
  if (at === null) throw new Error('the note has no corner to drag');
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y + 50, { steps: 6 });
  await page.mouse.up();
  await eventually(async () => {
    const { width, height } = (await nodeOf('group'))?.config.extra_config as { width: number; height: number };
    return width > 264 && height > 312;
  }).toBe(true);

  // The layout gives the note the size of its nodes, and puts no other node on it.
  await page.keyboard.press('Escape');
  await canvas.click({ position: { x: 20, y: 20 } });
  await page.keyboard.press('Control+Shift+l');
  await eventually(async () => (await nodeOf('group'))?.config.extra_config).toMatchObject({ height: 152 });
  await group.click({ position: { x: 60, y: 8 } });
  await page.keyboard.press('Delete');
  await editor.expectStored(({ nodes }) => expect(nodes.map(({ node_id: id }) => id)).not.toContain('group'));
  expect((await editor.stored()).nodes).toHaveLength(4);
});
