import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { UndoStorm } from '../harness/undo-storm.ts';

const agent = `
name: Agent with a model
trigger: chat
model: {model_name: large, credential: nobody}
steps:
  - id: answer
    type: agent
    prompt: Be brief.
`;

const pair = (name: string) => `
name: ${name}
trigger: manual
steps:
  - id: first
    type: template
    template: One
  - id: second
    type: template
    template: Two
`;

journey(
  'J05: a connection to a model is deleted with the keyboard, and undo restores it',
  async ({ page, service }) => {
    await service.call('credentials/', {
      method: 'POST',
      body: {
        name: 'nobody',
        credential_type: 'llm',
        detail: { provider_type: 'provider_a_compatible', api_key: 'sk-unused' },
      },
    });
    const editor = await Editor.create(page, service, agent);
    const before = await editor.stored();
    const isModel = ({ edge_label: label }: { edge_label: string }): boolean => label === 'llm';
    expect(before.edges.filter(isModel)).toHaveLength(1);
    await page.getByRole('group', { name: 'Connection from model to answer' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Delete');
    await editor.expectStored(({ edges }) => expect(edges).toHaveLength(before.edges.length - 1));
    await page.keyboard.press('Control+z');
    await editor.expectStored((workflow) => expect(contentOf(workflow)).toEqual(contentOf(before)));
  },
);

/** Edits of a run, and the seed of their order: other numbers make other runs. */
const stormEdits = Number(process.env.E2E_EDITS ?? 60);
const stormSeed = Number(process.env.E2E_SEED ?? 20_617);

journey('J16: undo and redo of sixty mixed edits lead to the same graphs, here and on the service', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, pair('Undo storm'));
  const start = contentOf(await editor.stored());
  const storm = new UndoStorm(page, editor, stormSeed);
  try {
    for (let count = 0; count < stormEdits; count += 1) await storm.edit();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const end = contentOf(await editor.stored());
    const undone = await storm.undoAll();
    await editor.expectStored((workflow) => expect(contentOf(workflow)).toEqual(start));
    await page.reload();
    await editor.card('first').waitFor();
    expect(await storm.redoAll()).toBe(undone);
    await editor.expectStored((workflow) => expect(contentOf(workflow)).toEqual(end));
  } catch (error) {
    throw new Error(`E2E_SEED=${stormSeed} E2E_EDITS=${stormEdits}: ${JSON.stringify([...storm.made])}`, {
      cause: error,
    });
  }
});

journey('J16: undo in a field takes back what was typed there, and leaves the graph alone', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, pair('Undo in a field'));
  await editor.move('first', 40, 80);
  const undo = page.getByRole('button', { name: /^Undo: Move/ });
  await undo.waitFor();
  await page.getByRole('button', { name: 'Add node' }).click();
  const search = page.getByRole('combobox', { name: 'Search node types' });
  await search.pressSequentially('http');
  await page.keyboard.press('Control+z');
  await eventually(() => search.inputValue()).not.toBe('http');
  await page.keyboard.press('Escape');
  await undo.waitFor();
});

journey('J18: edits survive a page that is killed before they are saved', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, pair('Crash safety'));
  const context = page.context();
  // The request never arrives, like a page that is killed before it is sent.
  await context.route('**/graph/', (route) => route.abort());
  scene.expectFailure({ url: /\/graph\/$/, status: 0 });
  await editor.move('first', 64, 64);
  await editor.add('wait');
  await page
    .getByText(/not saved/)
    .first()
    .waitFor();
  await page.close();
  await context.unroute('**/graph/');
  const before = await editor.stored();
  expect(before.nodes).toHaveLength(3);
  const reopened = await scene.newPage();
  const again = new Editor(reopened, service, editor.slug);
  await again.open();
  await again.expectStored(({ nodes }) => {
    expect(nodes).toHaveLength(4);
    expect(nodes.find(({ node_id: id }) => id === 'first')?.position_x).not.toBe(
      before.nodes.find(({ node_id: id }) => id === 'first')?.position_x,
    );
  });
});
