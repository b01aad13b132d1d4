import type { CDPSession, Page } from 'playwright-core';
import { clickUntil, paintedAt, pointOn, weightOf, zoomToCards } from './editor-probe.ts';
import type { Figure } from './figures.ts';
import { editorOf, type Measurement, onPage } from './scene.ts';

/** Opens the editor and returns to the list this often. */
const openings = 30;
/** As often before: until then the browser compiles the code of the pages, about 1 MB, which is no leak. */
const warmUp = 35;

/** Opening the editor: until the cards are painted and the first click on one selects it. */
export function opening(
  name: string,
  limits: { readonly ms: number; readonly elements?: number; readonly heapMb?: number },
): Measurement {
  return {
    name: `open ${name}`,
    rounds: 5,
    measure: (scene) =>
      onPage(scene, async (page, session): Promise<readonly Figure[]> => {
        await page.goto(editorOf(scene, name));
        const painted = await paintedAt(page);
        const selected = await clickUntil(page, await pointOn(page, 'node'), '.react-flow__node.selected');
        const { heapMb, elements } = await weightOf(page, session);
        await zoomToCards(page);
        const near = await weightOf(page, session);
        return [
          { row: `open ${name}`, value: painted + selected, unit: 'ms', limit: limits.ms },
          { row: `open ${name}: elements`, value: elements, unit: '', limit: limits.elements ?? null },
          { row: `open ${name}: heap`, value: heapMb, unit: 'MB', limit: limits.heapMb ?? null },
          { row: `${name} at 100 %: elements`, value: near.elements, unit: '', limit: limits.elements ?? null },
        ];
      }),
  };
}

/** Memory that is not released when the editor is left. */
export const leaks: Measurement = {
  name: 'leaks',
  rounds: 1,
  isExact: true,
  measure: (scene) =>
    onPage(scene, async (page, session) => {
      await page.goto(`${scene.stage.service.url}/workflows`);
      const before = await afterOpenings({ page, session }, warmUp);
      const after = await afterOpenings({ page, session }, openings);
      return [
        {
          row: `heap growth in ${openings} openings of g500`,
          value: (after.heapMb / before.heapMb - 1) * 100,
          unit: '%',
          limit: 10,
        },
        { row: `cards that remain after ${openings} openings`, value: after.cards, unit: '', limit: 0 },
      ];
    }),
};

interface Opened {
  readonly page: Page;
  readonly session: CDPSession;
}

/** Opens the editor from the list and leaves it again, as a person does, without loading the page again. */
async function afterOpenings({ page, session }: Opened, times: number) {
  for (let count = 0; count < times; count += 1) {
    await page.getByRole('link', { name: 'g500', exact: true }).click();
    await page.locator('.react-flow__node').first().waitFor();
    await page.getByRole('link', { name: 'All workflows' }).click();
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  }
  const { heapMb } = await weightOf(page, session);
  return { heapMb, cards: await remainingCards(session) };
}

/** The card elements that are still in memory although none is in the page. */
async function remainingCards(session: CDPSession): Promise<number> {
  const { result: prototype } = await session.send('Runtime.evaluate', { expression: 'HTMLDivElement.prototype' });
  const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: prototype.objectId ?? '' });
  const { result } = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: `function () { return this.filter((one) => one.classList.contains('react-flow__node') && !one.isConnected).length; }`,
    returnByValue: true,
  });
  return Number(result.value);
}
