import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { ForeignSite } from '../harness/foreign-site.ts';
import { Hand, pace } from '../harness/hand.ts';
import { journey, type Scene } from '../harness/journey.ts';
import { KeyboardBuilder } from '../harness/keyboard-builder.ts';

/** The limit for a webhook that requests something, decides and responds. */
const limitSeconds = 180;

/** Reports the time of a path at the pace of a person, and checks its limit. */
function expectTime(path: string, seconds: number): void {
  if (pace.key > 0) console.log(`${path}: ${seconds.toFixed(0)} s (limit ${limitSeconds} s)`);
  expect(seconds).toBeLessThan(limitSeconds);
}

/** The built workflow answers with what the other service has answered. */
async function expectAnswer({ service }: Scene, slug: string): Promise<void> {
  const answer = await fetch(`${service.url}/api/v1/webhooks/${slug}`, { method: 'POST', body: '{}' });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Foreign site')]);
}

journey('timed path: a webhook with a request, a switch and a response is built with the mouse', async (scene) => {
  const { page, goto } = scene;
  const site = await ForeignSite.start();
  scene.expectFailure({ url: /\/import\/$/, status: 409 });
  await goto('/workflows');
  const hand = new Hand(page);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const add = async (after: string, type: string): Promise<void> => {
    await hand.click(button(after));
    await hand.click(page.getByRole('option', { name: new RegExp(`^${type}`) }));
  };
  await hand.click(page.getByRole('link', { name: 'New workflow' }).first());
  await hand.click(button(/^Empty workflow/));
  const editor = await Editor.opened(page, scene.service);
  await hand.click(editor.card('start'));
  await hand.click(button('Delete node'));
  await hand.click(button('Webhook Trigger'));
  await hand.click(page.getByRole('radio', { name: 'Respond node' }));
  await hand.click(page.getByRole('radio', { name: 'None', exact: true }));
  await add('Add a node after webhook', 'HTTP Request');
  await hand.fill(page.getByRole('textbox', { name: 'URL' }), site.at('127.0.0.1'));
  await add('Add a node after http_request', 'Switch');
  await hand.click(button('Add rule'));
  await hand.fill(page.getByRole('textbox', { name: 'Field of rule 1' }), 'http_request.status');
  await hand.fill(page.getByRole('textbox', { name: 'Value of rule 1' }), '200');
  await hand.fill(page.getByRole('textbox', { name: 'Route of rule 1' }), 'ok');
  await add('Add a node after switch: ok', 'Respond');
  await hand.fill(page.getByRole('textbox', { name: 'Body' }), '"{{http_request.result');
  await button('0 problems').waitFor();
  expectTime('by mouse', hand.seconds);
  await eventually(() => page.getByText('Saved', { exact: true }).count()).toBe(1);
  await expectAnswer(scene, editor.slug);
  await site.stop();
});

journey('timed path: the same workflow is built with the keyboard alone', async (scene) => {
  const { page, goto, service } = scene;
  const site = await ForeignSite.start();
  scene.expectFailure({ url: /\/import\/$/, status: 409 });
  await goto('/workflows');
  const startedAt = performance.now();
  const builder = new KeyboardBuilder(page);
  const { keys } = builder;
  const { slug } = await builder.newWorkflow(service);
  await builder.addTrigger();
  await builder.addAt('output', 'http request', 'http_request');
  await builder.open();
  await keys.tabTo(/^URL$/);
  await keys.type(site.at('127.0.0.1'));
  await keys.press('Tab');
  await builder.leave('http_request');
  await builder.addAt('output', 'switch', 'switch');
  await builder.open();
  await builder.addRule(1, '200', 'http_request.status', 'ok');
  await builder.leave('switch');
  await builder.addAt('ok', 'respond', 'respond');
  await builder.open();
  await keys.tabTo(/^Body$/);
  await keys.type('"{{http_request.result');
  await keys.press('Tab');
  await page.getByRole('button', { name: '0 problems' }).waitFor();
  expectTime('by keyboard', (performance.now() - startedAt) / 1000);
  await eventually(() => page.getByText('Saved', { exact: true }).count()).toBe(1);
  await expectAnswer(scene, slug);
  await site.stop();
});
