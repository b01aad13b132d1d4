import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { contentOf, Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';

const short = `
name: Text and canvas
trigger: manual
steps: []
`;

const whole = `# Greets the caller.
name: Text and canvas
nodes:
  - id: start
    type: trigger_manual
  # The first step.
  - id: hello
    type: template
    template: Hello # the greeting
edges:
  - start -> hello
`;

/** Pastes a text at the cursor. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+v');
}

journey(
  'J15: the text and the canvas change each other, and invalid text changes nothing',
  async ({ page, service }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const editor = await Editor.create(page, service, short);
    await page.getByRole('button', { name: 'YAML' }).click();
    const text = page.getByRole('textbox', { name: 'Workflow as YAML' });
    await text.waitFor();
    const content = async (): Promise<string> => (await text.innerText()).replaceAll('\u00a0', ' ');
    await eventually(content).toContain('trigger_manual');
    // Another document replaces the whole text.
    await text.click();
    await page.keyboard.press('Control+a');
    await paste(page, whole);
    await editor.card('hello').waitFor();
    await editor.expectStored(({ nodes, edges }) => expect([nodes.length, edges.length]).toEqual([2, 1]));
    // From the canvas to the text: the new node is there, the comments stay.
    await editor.add('wait');
    await eventually(content).toContain('type: wait');
    expect(await content()).toContain('# the greeting');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    // From the text to the canvas.
    await text.click();
    await text.click();
    await page.keyboard.press('Control+a');
    const nodes = '  - id: last\n    type: template\n    template: Bye # at the end\n';
    await paste(page, whole.replace('edges:\n', `${nodes}edges:\n`));
    const names = (workflow: { nodes: readonly { node_id: string }[] }) => workflow.nodes.map((node) => node.node_id);
    await editor.expectStored((workflow) => expect(names(workflow).toSorted()).toEqual(['hello', 'last', 'start']));
    // The canvas had moved to the node that was added there.
    await page.getByRole('button', { name: 'Fit view' }).click();
    await editor.card('last').waitFor();
    const before = contentOf(await editor.stored());
    // Invalid text is marked with its line, and the canvas and the service keep the last valid graph.
    await text.click();
    await page.keyboard.press('Control+End');
    await paste(page, '\nnotes: [broken\n');
    await page.getByText(/^Line \d+:/).waitFor();
    await editor.card('last').waitFor();
    expect(contentOf(await editor.stored())).toEqual(before);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText(/^Line \d+:/).waitFor({ state: 'detached' });
    expect(contentOf(await editor.stored())).toEqual(before);
  },
);
