import type { Page } from 'playwright-core';
import { clickUntil, type Point, pointOn, zoomToCards } from './editor-probe.ts';
import type { Figure } from './figures.ts';
import { type FrameReport, framesOf } from './frames.ts';
import { generatedGraph } from './generated-graph.ts';
import { Pacer } from './pacer.ts';
import { type Measurement, onPage, openEditor, type Scene } from './scene.ts';

/** Long enough for a stable 95th percentile. */
const moves = 150;
/** The time between two events of a mouse. */
const moveMs = 8;

const frameLimit = 8;
const taskLimit = 50;

function figuresOf(row: string, { p95, longestTask, perSecond }: FrameReport, limit: number): readonly Figure[] {
  return [
    { row: `${row}: script, style and layout per frame, p95`, value: p95, unit: 'ms', limit },
    { row: `${row}: longest task`, value: longestTask, unit: 'ms', limit: taskLimit },
    { row: `${row}: frames`, value: perSecond, unit: '/s', limit: null },
  ];
}

/** Moves the pressed mouse in circles, as a person who looks for a place. */
async function circle({ mouse }: Page, { x, y }: Point): Promise<void> {
  await mouse.move(x, y);
  await mouse.down();
  for (let turn = 1; turn <= moves; turn += 1) {
    const angle = (turn / moves) * 4 * Math.PI;
    await mouse.move(x + 160 * Math.sin(angle), y + 100 * (1 - Math.cos(angle)));
    await new Promise((resolve) => setTimeout(resolve, moveMs));
  }
  await mouse.move(x + 64, y + 32);
  await mouse.up();
}

export const dragging: Measurement = {
  name: 'drag',
  rounds: 3,
  measure: (scene) =>
    onPage(scene, async (page) => {
      await openEditor(scene, page, 'g500');
      await zoomToCards(page);
      const point = await pointOn(page, 'node');
      const before = await versionOf(scene, 'g500');
      const report = await framesOf(scene.stage.browser, page, () => circle(page, point));
      await page.getByText('Saved', { exact: false }).first().waitFor();
      if ((await versionOf(scene, 'g500')) === before) throw new Error('The move was not saved.');
      return figuresOf('drag a card of g500', report, frameLimit);
    }),
};

export const panning: Measurement = {
  name: 'pan',
  rounds: 3,
  measure: (scene) =>
    onPage(scene, async (page) => {
      await openEditor(scene, page, 'g500');
      await zoomToCards(page);
      const point = await pointOn(page, 'pane');
      const report = await framesOf(scene.stage.browser, page, () => circle(page, point));
      return figuresOf('pan g500', report, frameLimit);
    }),
};

/** Half of the events of a step: it begins and ends. */
const stepsPerSecond = 100;
const stormSeconds = 10;
const clicks = 12;

/** An execution whose steps begin and end 200 times per second, while a person selects cards. */
export const storm: Measurement = {
  name: 'storm',
  rounds: 1,
  measure: async (scene) => {
    const pacer = await Pacer.start(stepsPerSecond);
    try {
      const { slug } = await scene.stage.service.call<{ slug: string }>('workflows/import/', {
        method: 'POST',
        body: { yaml_str: generatedGraph('storm', 500, { calls: pacer.url }) },
      });
      return await onPage(scene, async (page) => {
        await page.goto(`${scene.stage.service.url}/w/${slug}`);
        await page.locator('.react-flow__node').first().waitFor();
        await zoomToCards(page);
        const overview = await framesOf(scene.stage.browser, page, async () => {
          await scene.stage.service.call(`workflows/${slug}/execute/`, {
            method: 'POST',
            body: { payload: { total: 5000, rounds: [1, 2, 3, 4] } },
          });
          await new Promise((resolve) => setTimeout(resolve, stormSeconds * 1000));
        });
        const before = pacer.answered;
        const started = performance.now();
        const latencies: number[] = [];
        for (let count = 0; count < clicks; count += 1) latencies.push(await selectAnother(page));
        const rate = (2 * (pacer.answered - before)) / ((performance.now() - started) / 1000);
        return [
          ...figuresOf('200 status events a second on g500', overview, 6),
          { row: 'events a second in the meantime', value: rate, unit: '/s', limit: null },
          { row: 'select a card in the meantime, p95', value: Math.max(...latencies), unit: 'ms', limit: 100 },
        ];
      });
    } finally {
      await pacer.stop();
    }
  },
};

/** Selects a card that is not selected, and returns the milliseconds until it is shown. */
async function selectAnother(page: Page): Promise<number> {
  const target = await page.evaluate<(Point & { readonly id: string }) | null>('bench.anotherCard()');
  if (target === null) return 0;
  return clickUntil(page, target, `.react-flow__node.selected[data-id="${target.id}"]`);
}

async function versionOf({ stage, slugs }: Scene, name: string): Promise<number> {
  return (await stage.service.call<{ version: number }>(`workflows/${slugs.get(name)}/`)).version;
}
