import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { journey } from '../harness/journey.ts';

const yaml_str = `
name: On the road
slug: on-the-road
nodes:
  - {id: message, type: trigger_chat}
  - {id: daily, type: trigger_schedule, cron: '0 7 * * *'}
  - {id: ask, type: human_confirmation, prompt: Send the offer?}
  - {id: reply, type: template, template: 'Done'}
edges:
  - message -> reply
  - daily -> ask
`;

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** What is wider than the window or too small to touch. */
const misfits = `(() => {
  const found = [];
  const main = document.querySelector('#main') ?? document.documentElement;
  for (const element of [document.documentElement, main]) {
    if (element.scrollWidth > element.clientWidth) found.push('wider than the window by ' + (element.scrollWidth - element.clientWidth));
  }
  for (const target of document.querySelectorAll('button, select, [role=tab], [role=menuitem], nav a')) {
    const { width, height } = target.getBoundingClientRect();
    if (width > 0 && height > 0 && (width < 24 || height < 24)) found.push('too small: ' + target.outerHTML.slice(0, 120));
  }
  return found;
})()`;

async function fits(page: Page): Promise<void> {
  expect([page.url(), await page.evaluate<string[]>(misfits)]).toEqual([page.url(), []]);
}

journey(
  'J20: an operator on a phone looks at a run, answers, chats, pauses a schedule and edits a field',
  async (scene) => {
    const { page, service } = scene;
    await service.call('workflows/import/', { method: 'POST', body: { yaml_str } });
    await service.call('workflows/on-the-road/execute/', { method: 'POST', body: { trigger_node_id: 'daily' } });
    await scene.goto('/workflows');
    const row = page.getByRole('row').filter({ hasText: 'on-the-road' });
    await row.getByRole('link', { name: 'Waiting for a person' }).waitFor();
    await fits(page);
    await scene.checkAccessibility();
    await row.getByRole('link', { name: 'Waiting for a person' }).tap();
    await page.waitForURL('**/runs/*');
    await page.getByText('Waiting for a person').first().waitFor();
    await fits(page);
    await scene.checkAccessibility();
    await page.getByRole('link', { name: /^Inbox/ }).tap();
    const question = page.getByRole('article').filter({ hasText: 'Send the offer?' });
    await question.getByRole('textbox', { name: 'Comment' }).waitFor();
    await fits(page);
    await scene.checkAccessibility();
    await question.getByRole('button', { name: 'Approve' }).tap();
    await question.getByText('Approved. Your answer was stored.').waitFor();
    await scene.goto('/w/on-the-road/chat');
    await page.getByRole('textbox').last().fill('Anything new?');
    await page.getByRole('button', { name: 'Send' }).tap();
    await page.getByText('Done').first().waitFor();
    await fits(page);
    await scene.goto('/schedules');
    const schedule = page.getByRole('list', { name: 'Schedules' }).getByRole('listitem').filter({ hasText: 'daily' });
    await schedule.getByText('0 7 * * *').waitFor();
    await fits(page);
    await scene.checkAccessibility();
    await schedule.getByRole('button', { name: /^Pause/ }).tap();
    await schedule.getByText('Paused').waitFor();
    await schedule.getByRole('link').first().tap();
    await page.getByRole('button', { name: /^Start/ }).waitFor();
    await fits(page);
    await scene.goto('/w/on-the-road');
    await page.getByRole('row').filter({ hasText: 'reply' }).tap();
    const field = page
      .getByRole('complementary', { name: 'Settings of reply' })
      .getByLabel(/^Template/)
      .first();
    await field.fill('Edited on a phone');
    await page.getByRole('button', { name: /Close/ }).first().tap();
    const editor = new Editor(page, service, 'on-the-road');
    await editor.expectStored(({ nodes }) => expect(JSON.stringify(nodes)).toContain('Edited on a phone'));
    await fits(page);
  },
  phone,
);

journey(
  'J20: the pages of an operator reflow at a zoom of 400 %',
  async (scene) => {
    for (const path of ['/workflows', '/runs', '/inbox', '/schedules', '/settings/api-keys', '/settings/users']) {
      await scene.goto(path);
      await scene.page.waitForLoadState('networkidle');
      await fits(scene.page);
    }
  },
  // A window of 1280 x 1024 at 400 %.
  { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 },
);
