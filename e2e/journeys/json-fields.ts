import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { RandomTypist } from '../harness/random-typist.ts';

const answers = `
name: JSON fields
nodes:
  - {id: hook, type: trigger_webhook, response_mode: respond_node}
  - {id: each, type: loop}
  - {id: answer, type: respond}
edges:
  - hook -> each
  - each -> answer
layout:
  hook: [0, 0]
  each: [0, 140]
  answer: [0, 280]
`;

const typed = answers
  .replace('JSON fields', 'Random typing')
  .replace(
    '  - {id: answer,',
    `  - {id: load, type: http_request, url: 'http://127.0.0.1/'}
  - {id: route, type: switch, rules: [{id: urgent, field: trigger.payload.kind, operator: equals, value: a}]}
  - {id: answer,`,
  )
  .replace('  answer: [0, 280]', '  answer: [0, 280]\n  load: [0, 420]\n  route: [0, 560]');

/** The path of the field that has the focus. */
function focusedField(page: Page): Promise<unknown> {
  return page.evaluate(`document.activeElement?.closest('[data-field]')?.dataset.field ?? ''`);
}

/** The field once its editor is loaded. Until then it is a plain one, which closes no brackets. */
function loaded(field: Locator): Locator {
  return field.and(field.page().locator('[contenteditable]'));
}

journey('an expression that is typed, pasted or edited in a JSON field is what is stored', async (scene) => {
  const { page, service } = scene;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const editor = await Editor.create(page, service, answers);
  const fieldOf = async (node: string, key: string) => {
    const { nodes } = await editor.stored();
    return (nodes.find(({ node_id: id }) => id === node)?.config.extra_config as Record<string, unknown>)[key];
  };
  const saved = () => page.getByText('Saved', { exact: true }).first().waitFor();
  for (const [node, key, label] of [
    ['answer', 'body', 'Body'],
    ['each', 'items', 'Items'],
  ] as const) {
    await editor.card(node).click();
    const field = loaded(
      page.getByRole('complementary', { name: `Settings of ${node}` }).getByRole('textbox', { name: label }),
    );
    await field.click();
    // Slower than the pause after which an edit is stored.
    await page.keyboard.type('{', { delay: 600 });
    await page.keyboard.type('{ trigger.payload }}', { delay: 20 });
    await eventually(() => fieldOf(node, key)).toBe('{{ trigger.payload }}');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[1, {"a": 2}]');
    await eventually(() => fieldOf(node, key)).toEqual([1, { a: 2 }]);
    await page.keyboard.press('Control+a');
    await page.evaluate(`navigator.clipboard.writeText('{{ trigger.headers }}')`);
    await page.keyboard.press('Control+v');
    await eventually(() => fieldOf(node, key)).toBe('{{ trigger.headers }}');
    await saved();
    expect(await field.textContent()).toBe('{{ trigger.headers }}');
  }
});

journey(
  'a text that cannot be stored is marked in its field and in the header, and survives a reload',
  async (scene) => {
    const { page, service } = scene;
    const editor = await Editor.create(page, service, answers.replace('JSON fields', 'Unsaved fields'));
    const body = async () => {
      const { nodes } = await editor.stored();
      return (nodes.find(({ node_id: id }) => id === 'answer')?.config.extra_config as Record<string, unknown>).body;
    };
    const field = loaded(page.getByRole('textbox', { name: 'Body' }));
    const header = page.getByRole('button', { name: '1 field not saved' });
    await editor.card('answer').click();
    await field.click();
    await page.keyboard.type('{"accepted": ');
    await header.waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('alert').filter({ hasText: 'Not saved yet: Must be JSON' }).waitFor();
    expect(await body()).toBeUndefined();

    await page.reload();
    await header.click();
    await eventually(() => field.textContent()).toBe('{"accepted": }');
    await eventually(() => focusedField(page)).toBe('body');
    await scene.checkAccessibility();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"accepted": true}');
    await eventually(body).toEqual({ accepted: true });
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await header.waitFor({ state: 'detached' });
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });

    // The header leads to a field in another tab of a form that is closed.
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Max attempts' }).click();
    await page.keyboard.type('1x');
    await header.waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await header.click();
    await eventually(() => focusedField(page)).toBe('retry.max_attempts');
    expect(await page.getByRole('tab', { name: 'Settings' }).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('2');
    await header.waitFor({ state: 'detached' });

    // The braces that an expression begins with are no text of the field.
    await page.getByRole('tab', { name: 'Setup' }).click();
    await page.getByRole('button', { name: 'Use an expression for Status' }).click();
    const status = page.locator('[data-field=status] .cm-line');
    await eventually(() => status.textContent()).toBe('{{  }}');
    await page.getByRole('heading', { level: 1 }).click();
    await eventually(() => status.textContent()).not.toContain('{');
  },
);

/** `npm run test:typing-browser` types 200 sequences. */
const sequences = Number(process.env.E2E_TYPING ?? 2);
const firstSeed = Number(process.env.E2E_SEED ?? 1);

journey('what is typed at random is stored, or marked in its field and in the header', async (scene) => {
  const { page, service } = scene;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const detail = { tool_type: 'api', config: { scheme: 'bearer', token: 't', allowed_hosts: ['127.0.0.1'] } };
  const body = { name: 'Typed key', credential_type: 'tool', detail };
  await service.call('credentials/', { method: 'POST', body });
  const editor = await Editor.create(page, service, typed);
  scene.expectFailure({ url: /\/graph\/$/, status: 422 });
  for (let seed = firstSeed; seed < firstSeed + sequences; seed += 1) {
    const typist = new RandomTypist(page, editor, seed);
    try {
      await typist.sequence(8);
    } catch (error) {
      throw new Error(`E2E_SEED=${seed}: ${typist.done.join(', ')}`, { cause: error });
    }
  }
  // A long text scrolls in its field, which axe takes for a part that the keyboard does not reach.
  await page.getByRole('button', { name: 'Close', exact: true }).click();
});
