import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { Keys } from '../harness/keys.ts';

const search = { name: 'Search and run commands' };

journey('The palette goes to a workflow and to a node, runs a command and shows its keys', async (scene) => {
  const { page, service, goto } = scene;
  const { keyboard } = page;
  const yaml = 'name: Palette\ntrigger: manual\nsteps:\n  - {id: greet, type: template, template: Hi}\n';
  await service.call('workflows/import/', { method: 'POST', body: { yaml_str: yaml } });
  const palette = async (text: string, entry: string): Promise<void> => {
    await keyboard.press('Control+k');
    await page.getByRole('combobox', search).waitFor();
    await keyboard.type(text);
    await page.getByRole('option', { name: entry }).first().waitFor();
    await keyboard.press('Enter');
    await page.getByRole('combobox', search).waitFor({ state: 'detached' });
  };
  await goto('/credentials');
  await palette('palet', 'Palette');
  const editor = new Editor(page, service, 'palette');
  await editor.card('greet').waitFor();
  await palette('@greet', 'greet');
  await page.getByRole('complementary', { name: 'Settings of greet' }).waitFor();
  await palette('> dark theme', 'Use the dark theme');
  await eventually(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
  await palette('>run', 'Run Ctrl Enter');
  await page.getByText('Succeeded').first().waitFor();
  await goto('/runs');
  await palette('# palette', 'Run');
  await page.waitForURL(/\/runs\/[\da-f]{8}-/);
});

journey('Single-key shortcuts can be turned off', async ({ page, service }) => {
  const yaml = 'name: Keys off\ntrigger: manual\nsteps:\n  - {id: greet, type: template, template: Hi}\n';
  const editor = await Editor.create(page, service, yaml);
  const canvas = page.locator('.react-flow__pane');
  const picker = page.getByRole('combobox', { name: 'Search node types' });
  await canvas.click({ position: { x: 60, y: 60 } });
  await page.keyboard.press('a');
  await picker.waitFor();
  await page.keyboard.press('Escape');
  await picker.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('checkbox', { name: /Single-key shortcuts/ }).uncheck();
  await page.keyboard.press('Escape');
  await page.reload();
  await editor.card('greet').waitFor();
  await canvas.click({ position: { x: 60, y: 60 } });
  await page.keyboard.press('a');
  await page.keyboard.press('?');
  // Keys with a modifier still work. The palette opens only if neither of the keys before has opened a dialog.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', search).waitFor();
  await picker.waitFor({ state: 'detached' });
});

const chain = `
name: Keyboard chain
trigger: manual
steps:
  - {id: first, type: template, template: One}
  - {id: second, type: template, template: Two}
`;

journey('A graph is edited with the keyboard alone, and a screen reader announces each edit', async (scene) => {
  const { page, service } = scene;
  const editor = await Editor.create(page, service, chain);
  const keys = new Keys(page);

  await page.getByRole('link', { name: 'Skip to canvas' }).focus();
  await keys.press('Enter');
  await keys.expectFocus(/^start, /);
  await keys.press('ArrowRight');
  await keys.expectFocus(/^first, Template, inputs 1 of 1 connected$/);
  await keys.press('End');
  await keys.expectFocus(/^second, /);
  await keys.press('ArrowLeft');
  await keys.expectFocus(/^first, /);
  await keys.press('Home');
  await keys.expectFocus(/^start, /);
  await keys.press('ArrowRight');

  const before = (await editor.stored()).nodes.find((node) => node.node_id === 'first')?.position_x ?? 0;
  for (let press = 0; press < 10; press += 1) await keys.press('Alt+ArrowRight');
  await keys.expectSaid('Moved first');
  await editor.expectStored(({ nodes }) => {
    expect(nodes.find((node) => node.node_id === 'first')?.position_x).toBe(before + 80);
  });
  await keys.press('Control+z');
  await keys.expectSaid(/^Undone: Move first/);
  await editor.expectStored(({ nodes }) => {
    expect(nodes.find((node) => node.node_id === 'first')?.position_x).toBe(before);
  });

  await keys.press('F2');
  await page.getByRole('textbox', { name: 'Label' }).waitFor();
  await keys.type('Greeting');
  await keys.press('Enter');
  await keys.expectSaid('Renamed first to Greeting');
  await keys.expectFocus(/^Greeting, Template/);

  await keys.press('x');
  await page.getByRole('button', { name: 'Disconnect Greeting › output from second › input' }).focus();
  await keys.press('Enter');
  await keys.expectSaid('Disconnected Greeting › output from second › input');
  await keys.expectFocus(/^Greeting, /);
  await keys.press('c');
  await page.getByRole('option', { name: 'second › input' }).first().waitFor();
  await keys.type('output second');
  await keys.press('Enter');
  await keys.expectSaid('Connected Greeting › output to second › input');
  await keys.expectFocus(/^Greeting, /);

  await keys.press('a');
  await page.getByRole('combobox', { name: 'Search node types' }).waitFor();
  await keys.type('wait');
  await keys.press('Enter');
  await keys.expectSaid('Added wait');
  await keys.expectFocus(/^wait, /);
  await keys.press('Enter');
  await eventually(() => page.evaluate('document.activeElement?.textContent')).toBe('Setup');
  await keys.press('Escape');
  await keys.expectFocus(/^wait, /);
  await keys.press('Delete');
  await keys.expectSaid('Deleted wait');
  await keys.expectFocus(/^(start|second|Greeting), /);
  await keys.press('Home');
  await keys.press('Control+Enter');
  await keys.expectSaid(/^Run [\da-f]{6} succeeded/);
  await editor.expectStored(({ nodes, edges }) => expect([nodes.length, edges.length]).toEqual([3, 2]));
});
