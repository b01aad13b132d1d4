import { fileURLToPath } from 'node:url';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** A point of the page. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Adds `in-page.js` to all pages that are opened from now on. */
export function addProbe(context: BrowserContext) {
  return context.addInitScript({ path: fileURLToPath(new URL('in-page.js', import.meta.url)) });
}

/** Milliseconds from the navigation to the first painted cards. */
export function paintedAt(page: Page): Promise<number> {
  return page.evaluate<number>('bench.painted');
}

/** Milliseconds from a click to the paint of what the selector finds. */
export function clickUntil(page: Page, { x, y }: Point, selector: string): Promise<number> {
  return measured(page, 'pointerdown', selector, () => page.mouse.click(x, y));
}

/** Milliseconds from the first such event to the paint of what the selector finds. */
export async function measured(page: Page, kind: string, selector: string, act: () => Promise<void>): Promise<number> {
  await page.evaluate(`bench.measureUntil(${JSON.stringify(kind)}, ${JSON.stringify(selector)})`);
  await act();
  return page.evaluate<number>('bench.took');
}

/** A point on a card, or on another part of the canvas, near its middle. */
export async function pointOn(page: Page, part: 'node' | 'pane'): Promise<Point> {
  const point = await page.evaluate<Point | null>(`bench.pointOn('.react-flow__${part}')`);
  if (point === null) throw new Error(`The canvas shows no ${part}.`);
  return point;
}

/** Zooms with the wheel at a card until the cards have their real size. */
export async function zoomToCards(page: Page): Promise<void> {
  const { x, y } = await pointOn(page, 'node');
  await page.mouse.move(x, y);
  for (let turn = 0; turn < 100 && (await page.evaluate<number>('bench.zoom()')) < 0.95; turn += 1) {
    await page.mouse.wheel(0, -40);
  }
}

/** The memory after a collection of garbage, and the number of elements. */
export async function weightOf(page: Page, session: CDPSession) {
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { heapMb: usedSize / 1_048_576, elements: await page.evaluate<number>(`bench.count('*')`) };
}

/** Types a text and returns the milliseconds from each key to its paint. Shorter times than 16 ms count as 16. */
export async function typed(page: Page, text: string): Promise<readonly number[]> {
  await page.evaluate('bench.watchKeys()');
  for (const key of text) await page.keyboard.press(key);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))');
  const slow = await page.evaluate<readonly number[]>('bench.keys');
  return [...slow, ...Array.from({ length: Math.max(0, text.length - slow.length) }, () => 16)];
}
