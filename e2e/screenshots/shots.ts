import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Editor } from '../harness/editor.ts';
import type { Stage } from '../harness/stage.ts';
import { refundRun } from './refund-run.ts';
import type { Seeded } from './seed.ts';

/** What a screenshot is taken of. */
export interface Set {
  readonly stage: Stage;
  readonly seeded: Seeded;
  readonly page: Page;
  readonly goto: (path: string) => Promise<void>;
}

export interface Shot {
  readonly name: string;
  /** Brings the page into the state of the picture. */
  readonly show: (set: Set) => Promise<void>;
  readonly options?: BrowserContextOptions;
  /** A visitor sees it, in a service where nobody has logged in. */
  readonly isFirstRun?: boolean;
  /** What the page needs of the browser before it is opened. */
  readonly prepare?: (context: BrowserContext) => Promise<void>;
}

const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

const field = (page: Page, name: string) => page.getByRole('textbox', { name });

async function openEditor({ page, stage, goto }: Set, slug: string): Promise<Editor> {
  await goto(`/w/${slug}`);
  await page.locator('.react-flow__node').first().waitFor();
  return new Editor(page, stage.service, slug);
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

/** The pictures of part 6 of the design, in its order. */
export const shots: readonly Shot[] = [
  {
    name: '01-first-run',
    isFirstRun: true,
    show: async ({ page }) => {
      await page.getByRole('link', { name: 'New workflow' }).first().click();
      await page.getByRole('button', { name: /^Empty workflow/ }).waitFor();
    },
  },
  {
    name: '02-workflows',
    show: async ({ page, goto }) => {
      await goto('/workflows');
      await page.getByRole('row').nth(12).waitFor();
    },
  },
  { name: '03-editor', show: async (set) => void (await openEditor(set, 'support-desk')) },
  {
    name: '04-inspector',
    show: async (set) => {
      const editor = await openEditor(set, 'invoices');
      await editor.card('letter').click();
      await field(set.page, 'Template').click();
      await set.page.getByRole('status').filter({ hasText: 'Data of run' }).waitFor();
    },
  },
  {
    name: '05-connecting',
    show: async (set) => {
      const editor = await openEditor(set, 'support-desk');
      await editor.hold(['failed', 'out'], ['answer', 'memory']);
    },
  },
  {
    name: '06-problems',
    show: async (set) => {
      await openEditor(set, 'spring-campaign');
      await set.page.getByRole('button', { name: /^\d+ problems?/ }).click();
      await set.page.getByRole('region', { name: 'Problems' }).waitFor();
    },
  },
  {
    name: '07-live-run',
    show: async (set) => {
      const editor = await openEditor(set, 'morning-report');
      await press(set.page, 'Run');
      await editor.card('summary').getByText(/ships/).waitFor();
      await editor.card('orders').getByText('7 of 20').waitFor();
      await editor.card('weather').getByText('Retrying', { exact: true }).last().waitFor();
    },
  },
  {
    name: '08-run',
    show: async ({ page, goto, seeded }) => {
      await goto(`/runs/${seeded.failedRun}`);
      await page.getByRole('region', { name: 'Step letter' }).getByRole('alert').waitFor();
    },
  },
  {
    name: '09-compare',
    show: async ({ page, goto, seeded }) => {
      await goto(`/runs/${seeded.failedRun}`);
      await page.getByRole('region', { name: 'Step letter' }).getByRole('link', { name: 'Compare' }).click();
      await page.getByRole('heading', { name: 'Before' }).waitFor();
    },
  },
  {
    name: '09-agent',
    show: async ({ page, goto, stage }) => {
      await goto(`/runs/${await refundRun(stage)}?step=answer`);
      await page.getByRole('region', { name: 'Approve refund' }).waitFor();
    },
  },
  {
    name: '10-yaml',
    show: async (set) => {
      await openEditor(set, 'support-desk');
      await press(set.page, 'YAML');
      const text = field(set.page, 'Workflow as YAML');
      await text.focus();
      await set.page.keyboard.press('Control+End');
      await set.page.keyboard.type('  wrong indent: [');
      await set.page
        .getByText(/line \d+/i)
        .first()
        .waitFor();
    },
  },
  { name: '11-overview', show: async (set) => void (await openEditor(set, 'thousand-nodes')) },
  {
    name: '11-at-100-percent',
    show: async (set) => {
      await openEditor(set, 'thousand-nodes');
      await set.page.locator('.react-flow__pane').click({ position: { x: 600, y: 400 } });
      await set.page.keyboard.press('0');
    },
  },
  {
    name: '12-phone-run',
    options: phone,
    show: async ({ page, goto, seeded }) => {
      await goto(`/runs/${seeded.failedRun}`);
      await page.getByRole('alert').first().waitFor();
    },
  },
  {
    name: '12-phone-inbox',
    options: phone,
    show: async ({ page, goto }) => {
      await goto('/inbox');
      await page.getByText('Refund EUR 84.50').first().waitFor();
    },
  },
  {
    name: '12-phone-outline',
    options: phone,
    show: async ({ page, goto }) => {
      await goto('/w/support-desk');
      await page.getByRole('treegrid').waitFor();
    },
  },
  {
    name: '12-forced-colours',
    options: { forcedColors: 'active' },
    show: async (set) => {
      const editor = await openEditor(set, 'support-desk');
      await editor.card('approve').click();
    },
  },
];
