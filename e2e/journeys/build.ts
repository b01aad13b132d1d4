import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { journey, type Scene } from '../harness/journey.ts';
import { KeyboardBuilder } from '../harness/keyboard-builder.ts';
import { modelKey } from '../harness/model-provider.ts';

/** What both journeys build, as YAML without the places of the nodes. */
const built = `
nodes:
  - id: webhook
    type: trigger_webhook
    response_mode: respond_node
    auth: none
  - id: switch
    type: switch
    rules:
      - {operator: equals, field: trigger.payload.kind, value: question, id: question}
      - {operator: equals, field: trigger.payload.kind, value: other, id: other}
  - id: agent
    type: agent
    prompt: Answer in one sentence.
  - id: ai_model
    type: ai_model
    credential: Model provider
    model_name: large
  - id: output_parser
    type: output_parser
  - id: respond
    type: respond
edges:
  - webhook -> switch
  - switch -[question]-> agent
  - ai_model -llm-> agent
  - output_parser -output_parser-> agent
  - agent -> respond
  - switch -[other]-> respond
`;

/** The workflow of an editor as YAML, without its name and the places of its nodes. */
async function textOf({ service }: Scene, { slug }: Editor): Promise<string> {
  const { yaml_str: text } = await service.call<{ yaml_str: string }>(`workflows/${slug}/export/`);
  return text.replace(/^name: .*\nslug: .*/, '').replace(/layout:.*$/s, '');
}

async function addProvider({ service, model }: Scene): Promise<void> {
  const detail = { provider_type: 'provider_a_compatible', base_url: model.url, api_key: modelKey };
  const known = await service.call<{ items: readonly { name: string }[] }>('credentials/');
  if (known.items.some(({ name }) => name === 'Model provider')) return;
  const body = { name: 'Model provider', credential_type: 'llm', detail };
  await service.call('credentials/', { method: 'POST', body });
}

/** The built workflow answers a request, and its edges have the exact fields of the API. */
async function expectBuilt(scene: Scene, editor: Editor): Promise<void> {
  expect(await textOf(scene, editor)).toBe(built);
  const plain = { edge_type: 'direct', edge_label: '', condition_value: '' };
  const route = (value: string) => ({ edge_type: 'conditional', edge_label: '', condition_value: value });
  const { edges } = await editor.stored();
  expect(edges).toMatchObject([
    plain,
    route('question'),
    { ...plain, edge_label: 'llm' },
    { ...plain, edge_label: 'output_parser' },
    plain,
    route('other'),
  ]);
  const answer = await fetch(`${scene.service.url}/api/v1/webhooks/${editor.slug}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"kind": "other"}',
  });
  expect(answer.status).toBe(200);
}

function withMouse(page: Page, editor: Editor) {
  const pick = async (type: string): Promise<void> => {
    await page.getByRole('option', { name: new RegExp(`^${type}`) }).click();
    await page.getByRole('combobox', { name: 'Search node types' }).waitFor({ state: 'detached' });
  };
  return {
    click: (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click(),
    choose: (name: string): Promise<void> => page.getByRole('radio', { name, exact: true }).click(),
    fill: async (name: string, text: string): Promise<void> => {
      await page.getByRole('textbox', { name }).click();
      await page.keyboard.type(text);
    },
    /** Draws a line from a port to an empty place and picks what is added there. */
    pull: async (from: readonly [string, string], by: { dx: number; dy: number }, type: string): Promise<void> => {
      await page.getByRole('button', { name: 'Fit view' }).click();
      await editor.pull(from, by);
      await pick(type);
    },
    /** Clicks the plus beside a port and picks what is added. */
    add: async (plus: string, type: string): Promise<void> => {
      await page.getByRole('button', { name: plus, exact: true }).click();
      await pick(type);
    },
  };
}

const expectProblems = (page: Page, count: RegExp): Promise<void> =>
  page.getByRole('button', { name: new RegExp(`${count.source} problem`) }).waitFor();

journey('J02: a workflow with a switch and an agent is built with the mouse', async (scene) => {
  const { page, goto, service } = scene;
  await addProvider(scene);
  await goto('/workflows');
  await page.getByRole('link', { name: 'New workflow' }).first().click();
  await page.getByRole('button', { name: /^Empty workflow/ }).click();
  const editor = await Editor.opened(page, service);
  const mouse = withMouse(page, editor);
  await editor.card('start').click();
  await mouse.click('Delete node');
  await mouse.click('Webhook Trigger');
  await mouse.choose('Respond node');
  await mouse.choose('None');
  await mouse.pull(['webhook', 'out'], { dx: 80, dy: 0 }, 'Switch');
  for (const [index, kind] of ['question', 'other'].entries()) {
    await mouse.click('Add rule');
    await mouse.fill(`Field of rule ${index + 1}`, 'trigger.payload.kind');
    await mouse.fill(`Value of rule ${index + 1}`, kind);
    await mouse.fill(`Route of rule ${index + 1}`, kind);
  }
  await mouse.pull(['switch', 'route:question'], { dx: 40, dy: -160 }, 'Agent');
  await expectProblems(page, /^[1-9]/);
  await mouse.fill('System prompt', 'Answer in one sentence.');
  await mouse.pull(['agent', 'model'], { dx: 0, dy: 60 }, 'AI Model');
  await page.getByRole('combobox', { name: 'Credential' }).selectOption({ label: 'Model provider' });
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('option', { name: 'large' }).click();
  await mouse.add('Add parser to agent', 'Output Parser');
  await mouse.add('Add a node after agent', 'Respond');
  await mouse.click('Fit view');
  await editor.connect(['switch', 'route:other'], ['respond', 'in']);
  await expectProblems(page, /^0/);
  await expectBuilt(scene, editor);
});

journey('J03: the same workflow is built with the keyboard alone', async (scene) => {
  const { page, goto, service } = scene;
  const builder = new KeyboardBuilder(page);
  const { keys } = builder;
  await addProvider(scene);
  // There may be a workflow of this name: the next one has a number.
  scene.expectFailure({ url: /\/import\/$/, status: 409 });
  await goto('/workflows');
  const editor = await builder.newWorkflow(service);
  await builder.addTrigger();
  await builder.addAt('output', 'switch', 'switch');
  await builder.open();
  await builder.addRule(1, 'question');
  await builder.addRule(2, 'other');
  await builder.leave('switch');
  await builder.addAt('question', 'agent', 'agent');
  await expectProblems(page, /^[1-9]/);
  await builder.open();
  await keys.tabTo(/^System prompt$/);
  await keys.type('Answer in one sentence.');
  await keys.press('Tab');
  await builder.leave('agent');
  await builder.addAt('model', 'ai model', 'ai_model');
  await builder.open();
  await builder.chooseModel();
  await builder.leave('ai_model');
  await keys.press('ArrowRight');
  await keys.expectFocus(/^agent, /);
  await builder.addAt('parser', 'output parser', 'output_parser');
  await keys.press('ArrowRight');
  await keys.expectFocus(/^agent, /);
  await builder.addAt('output', 'respond', 'respond');
  await keys.press('Home');
  await keys.press('ArrowRight');
  await keys.expectFocus(/^switch, /);
  await keys.press('c');
  await keys.type('other respond input');
  await keys.press('Enter');
  await keys.expectSaid(/^Connected switch › other to respond › input/);
  await expectProblems(page, /^0/);
  await expectBuilt(scene, editor);
});
