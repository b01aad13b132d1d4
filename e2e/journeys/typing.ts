import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

/** No card is below the panel of settings, which covers the right quarter of the canvas. */
const request = `
name: Typing
nodes:
  - {id: start, type: trigger_manual}
  - {id: load, type: http_request, url: 'http://127.0.0.1/{{ trigger.payload.path }}'}
  - {id: greet, type: template, template: Hello}
edges:
  - start -> load
  - load -> greet
layout:
  start: [0, 0]
  load: [320, 0]
  greet: [320, 200]
`;

journey(
  'what is typed into a field is what is stored, whatever it replaces and wherever it was typed',
  async (scene) => {
    const { page, service } = scene;
    const editor = await Editor.create(page, service, request);
    const stored = async (name: string) => (await editor.stored()).nodes.find(({ node_id: id }) => id === name);
    const extra = async (name: string) => (await stored(name))?.config.extra_config as Record<string, unknown>;
    const settings = (name: string) => page.getByRole('complementary', { name: `Settings of ${name}` });

    // A text replaces an expression.
    await editor.card('load').click();
    const url = settings('load').getByRole('textbox', { name: /^Url/i });
    await url.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('http://127.0.0.1:1/x', { delay: 30 });
    await eventually(async () => (await extra('load')).url).toBe('http://127.0.0.1:1/x');
    await page.keyboard.type('?q={{ trigger.payload.a }}&b', { delay: 30 });
    await eventually(async () => (await extra('load')).url).toBe('http://127.0.0.1:1/x?q={{ trigger.payload.a }}&b');

    // Closing braces that are typed are those that were inserted.
    await editor.card('greet').click();
    await settings('greet')
      .getByRole('textbox', { name: /^Template/ })
      .click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('status {{ load.status }} ok', { delay: 30 });
    await eventually(async () => (await extra('greet')).template).toBe('status {{ load.status }} ok');

    // A label is stored while it is typed, and one edit undoes it.
    await settings('greet').getByRole('textbox', { name: 'Label' }).click();
    await page.keyboard.type('Say hello', { delay: 30 });
    await eventually(async () => (await stored('greet'))?.label).toBe('Say hello');
    expect(await page.title()).toBe('Typing · Millrace');

    // The button beside the connections offers only what fits.
    await settings('greet').getByRole('button', { name: 'Connect…' }).click();
    await page.getByRole('dialog', { name: /Connect/ }).waitFor();
    await scene.checkAccessibility();
    await page.keyboard.press('Escape');
  },
);
