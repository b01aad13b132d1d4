import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { expectAll, RandomEditor, shownOn } from '../harness/random-edits.ts';
import { adminKey } from '../harness/service.ts';

/** Edits of each person; `npm run test:two-editors` makes 200. */
const edits = Number(process.env.E2E_EDITS ?? '10');
const seed = Number(process.env.E2E_SEED ?? String(Date.now() % 100_000));

journey(
  `J17: two people edit at once, one of them offline for a while, and no edit is lost (seed ${seed})`,
  async (scene) => {
    const { page, service } = scene;
    const first = await Editor.create(
      page,
      service,
      'name: Two editors\ntrigger: manual\nsteps:\n  - {id: only, type: template, template: One}\n',
    );
    const other = await scene.newPage(adminKey);
    const second = new Editor(other, service, first.slug);
    await second.open();
    // An edit on an old version is rejected, and sent again on the new one.
    scene.expectFailure({ url: /\/graph\/$/, status: 409 });
    scene.expectFailure({ url: /./, status: 0 });
    const ann = new RandomEditor(page, first, { type: 'template', seed });
    const ben = new RandomEditor(other, second, { type: 'wait', seed: seed + 1 });
    for (let count = 0; count < edits; count += 1) {
      // Offline for the middle third.
      if (count === Math.floor(edits / 3)) await other.context().setOffline(true);
      if (count === Math.floor((2 * edits) / 3)) {
        await other
          .getByText(/not saved/)
          .first()
          .waitFor();
        await other.context().setOffline(false);
      }
      await Promise.all([ann.edit(), ben.edit()]);
    }
    await Promise.all([page, other].map((each) => each.getByText('Saved', { exact: true }).waitFor()));
    const count = 2 + ann.nodes.size + ben.nodes.size;
    await first.expectStored(({ nodes }) => expect(nodes).toHaveLength(count));
    const stored = new Map(
      (await first.stored()).nodes.map(({ node_id: id, position_x: x, position_y: y }) => [id, { x, y }]),
    );
    expectAll(ann.nodes, stored);
    expectAll(ben.nodes, stored);
    for (const each of [page, other]) {
      await eventually(async () => {
        await each.getByRole('button', { name: 'Fit view' }).click();
        return shownOn(each);
      }).toEqual(stored);
    }
  },
);

journey('J17: an offline edit of a value that somebody else changed asks which of both stays', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(
    page,
    service,
    'name: One value\ntrigger: manual\nsteps:\n  - {id: greet, type: template, template: Hello}\n',
  );
  const other = await scene.newPage(adminKey);
  const second = new Editor(other, service, editor.slug);
  await second.open();
  scene.expectFailure({ url: /\/graph\/$/, status: 409 });
  scene.expectFailure({ url: /./, status: 0 });
  const write = async (on: Page, by: Editor, text: string): Promise<void> => {
    await by.card('greet').click();
    await on.getByRole('textbox', { name: 'Template' }).click();
    await on.keyboard.press('Control+a');
    await on.keyboard.type(text);
    await on.keyboard.press('Tab');
  };
  const stored = async (): Promise<unknown> => {
    const { nodes } = await editor.stored();
    return (nodes.find(({ node_id: id }) => id === 'greet')?.config.extra_config as Record<string, unknown>).template;
  };
  const card = other.getByRole('region', { name: 'Conflicts' });
  // The form is loaded while there is a network.
  await second.card('greet').click();
  await other.getByRole('textbox', { name: 'Template' }).waitFor();
  await other.context().setOffline(true);
  await write(other, second, 'Good morning');
  await other
    .getByText(/not saved/)
    .first()
    .waitFor();
  await write(page, editor, 'Good evening');
  await eventually(stored).toBe('Good evening');
  await other.context().setOffline(false);
  await card.getByText('Good morning', { exact: true }).waitFor();
  await card.getByText('Good evening', { exact: true }).waitFor();
  expect(await stored()).toBe('Good evening');
  await card.getByText('Saved now, by you on another page').waitFor();
  await other.getByRole('button', { name: '1 conflict' }).click();
  expect(await other.evaluate('document.activeElement?.ariaLabel')).toBe('Conflicts');
  expect(await other.getByText('Saved', { exact: true }).count()).toBe(0);
  await scene.checkAccessibility(other);
  // Nothing is lost until a person chooses, also if the page is closed.
  await other.reload();
  await card.getByRole('button', { name: 'Keep mine' }).click();
  await eventually(stored).toBe('Good morning');
  await card.waitFor({ state: 'detached' });
  await other.getByText('Saved', { exact: true }).first().waitFor();

  // An undo after a reload asks as well.
  await other.goto('about:blank');
  await write(page, editor, 'Good night');
  await eventually(stored).toBe('Good night');
  await second.open();
  await other.getByRole('button', { name: /^Undo/ }).click();
  await card.getByText('Good night', { exact: true }).waitFor();
  expect(await stored()).toBe('Good night');
});

journey('J17: a label that somebody else changes while it is written is not overwritten', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(
    page,
    service,
    'name: One label\ntrigger: manual\nsteps:\n  - {id: greet, type: template, template: Hello}\n',
  );
  scene.expectFailure({ url: /\/graph\/$/, status: 409 });
  const label = async () => (await editor.stored()).nodes.find(({ node_id: id }) => id === 'greet')?.label;
  const rename = (text: string) =>
    service.call(`workflows/${editor.slug}/nodes/greet/`, { method: 'PATCH', body: { label: text } });
  const card = page.getByRole('region', { name: 'Conflicts' });
  await editor.card('greet').click();
  await page.getByRole('textbox', { name: 'Label' }).waitFor();

  // In the dialog.
  await editor.card('greet').click();
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog', { name: /^Rename/ });
  await dialog.getByRole('textbox', { name: 'Label' }).fill('Mine, longer');
  await rename('Theirs');
  await editor.card('greet').getByText('Theirs', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await card.getByText('Mine, longer', { exact: true }).waitFor();
  await card.getByText('Theirs', { exact: true }).waitFor();
  expect(await label()).toBe('Theirs');
  await card.getByRole('button', { name: 'Keep mine' }).click();
  await eventually(label).toBe('Mine, longer');
  await card.waitFor({ state: 'detached' });

  // In the form: a text that cannot be stored is completed after the change.
  const field = page.getByRole('textbox', { name: 'Label' });
  await field.fill('x'.repeat(201));
  await page.getByRole('button', { name: '1 field not saved' }).waitFor();
  await rename('Theirs again');
  await editor.card('greet').getByText('Theirs again', { exact: true }).waitFor();
  expect(await field.inputValue()).toBe('x'.repeat(201));
  await field.fill('Mine again');
  await card.getByText('Mine again', { exact: true }).waitFor();
  expect(await label()).toBe('Theirs again');
  expect(await field.inputValue()).toBe('Theirs again');
  await card.getByRole('button', { name: 'Take theirs' }).click();
  await card.waitFor({ state: 'detached' });
  await page.getByText('Saved', { exact: true }).first().waitFor();
  expect(await label()).toBe('Theirs again');
});
