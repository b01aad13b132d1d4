import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

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

journey(
  'J16: undo and redo of many edits lead to the same graphs, here and on the service',
  async ({ page, service }) => {
    const editor = await Editor.create(page, service, pair('Undo storm'));
    const start = contentOf(await editor.stored());
    let edits = 0;
    const edit = async (action: () => Promise<void>): Promise<void> => {
      await action();
      edits += 1;
      await eventually(() => page.getByRole('button', { name: /^Undo: / }).isEnabled()).toBe(true);
    };
    for (let round = 0; round < 4; round += 1) {
      await edit(() => editor.add('template'));
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      // The canvas has moved to the new node.
      await page.getByRole('button', { name: 'Fit view' }).click();
      await edit(() => editor.move('first', 40, 48 * (round % 2 === 0 ? 1 : -1)));
      await edit(() => editor.move('second', 24, 32 * (round % 2 === 0 ? -1 : 1)));
    }
    await editor.card('second').click();
    await edit(() => page.getByRole('button', { name: 'Delete node' }).click());
    // The deletion is the last edit: with it, all edits are saved.
    await editor.expectStored(({ nodes }) => expect(nodes.map((node) => node.node_id)).not.toContain('second'));
    const end = contentOf(await editor.stored());
    for (let count = 0; count < edits; count += 1) await editor.undo();
    await eventually(() => page.getByRole('button', { name: 'Undo', exact: true }).isDisabled()).toBe(true);
    await editor.expectStored((workflow) => expect(contentOf(workflow)).toEqual(start));
    for (let count = 0; count < edits; count += 1) await editor.redo();
    await editor.expectStored((workflow) => expect(contentOf(workflow)).toEqual(end));
    await page.reload();
    await editor.card('first').waitFor();
    await eventually(() => page.locator('.react-flow__node').count()).toBe(6);
    expect(contentOf(await editor.stored())).toEqual(end);
  },
);

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
