import type { Page } from 'playwright-core';
import { measured, typed } from './editor-probe.ts';
import { quantile } from './figures.ts';
import { framesOf } from './frames.ts';
import { type Measurement, onPage, openEditor } from './scene.ts';

const text = 'The order of the customer is ready for pickup';

/** The form of a node in a large workflow: each key changes the draft. */
export const typing: Measurement = {
  name: 'typing',
  rounds: 3,
  measure: (scene) =>
    onPage(scene, async (page) => {
      await page.goto(
        `${scene.stage.service.url}/w/${scene.slugs.get('g500')}?node=${scene.slugs.get('g500 template')}`,
      );
      const field = page.getByLabel(/^Template/).first();
      await field.waitFor();
      await field.click();
      await page.keyboard.press('Control+End');
      const times = await typed(page, text);
      return [{ row: 'keystroke in a form of g500, p95', value: quantile(times, 0.95), unit: 'ms', limit: 50 }];
    }),
};

/** The text of a large workflow beside the canvas. */
export const textEdit: Measurement = {
  name: 'text',
  rounds: 3,
  measure: (scene) =>
    onPage(scene, async (page) => {
      await openEditor(scene, page, 'g1000');
      await page.getByRole('button', { name: 'YAML' }).click();
      await page.locator('.cm-content').first().waitFor();
      await page.getByText('name: g1000').first().click();
      await page.keyboard.press('End');
      let times: readonly number[] = [];
      const report = await framesOf(scene.stage.browser, page, async () => {
        times = await typed(page, ' of the shop');
      });
      return [
        { row: 'keystroke in the YAML of g1000, p95', value: quantile(times, 0.95), unit: 'ms', limit: 50 },
        { row: 'YAML of g1000: longest task', value: report.longestTask, unit: 'ms', limit: 50 },
      ];
    }),
};

/** The output of a step with almost 5 MB. */
export const largeValue: Measurement = {
  name: 'value',
  rounds: 3,
  measure: (scene) =>
    onPage(scene, async (page) => {
      await page.goto(`${scene.stage.service.url}/runs/${scene.slugs.get('large run')}?step=large`);
      await page.getByRole('tab', { name: 'Output' }).waitFor();
      const ms = await shownAfter(page);
      const rows = await page.evaluate<number>(`bench.count('[role=tabpanel] [role=treeitem]')`);
      return [
        { row: 'JSON tree of 5 MB: first paint', value: ms, unit: 'ms', limit: 300 },
        { row: 'JSON tree of 5 MB: rows in the page', value: rows, unit: '', limit: 300 },
      ];
    }),
};

/** From the click that shows the whole value to its first rows. */
async function shownAfter(page: Page): Promise<number> {
  const tab = page.getByRole('tab', { name: 'Output' });
  await page.getByRole('tab', { name: 'Logs' }).click();
  await page.locator('[role=tabpanel] [role=tree]').waitFor({ state: 'detached' });
  return measured(page, 'pointerdown', '[role=tabpanel] [role=treeitem]', () => tab.click());
}

/** The layout of a large graph, in a worker. */
export const autoLayout: Measurement = {
  name: 'layout',
  rounds: 1,
  measure: (scene) =>
    onPage(scene, async (page) => {
      await openEditor(scene, page, 'g1000 to lay out');
      let ms = 0;
      const report = await framesOf(scene.stage.browser, page, async () => {
        await page.locator('.react-flow__pane').click({ position: { x: 30, y: 30 } });
        const started = performance.now();
        await page.keyboard.press('Control+Shift+L');
        await page.getByRole('button', { name: /^Undo: Lay out/ }).waitFor();
        ms = performance.now() - started;
      });
      return [
        { row: 'auto-layout of g1000', value: ms, unit: 'ms', limit: 6000 },
        { row: 'auto-layout of g1000: longest task', value: report.longestTask, unit: 'ms', limit: 50 },
      ];
    }),
};
