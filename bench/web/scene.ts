import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Stage } from '../../e2e/harness/stage.ts';
import type { Figure } from './figures.ts';

/** What the measurements share. */
export interface Scene {
  readonly stage: Stage;
  readonly context: BrowserContext;
  /** The slugs of the workflows by what they contain. */
  readonly slugs: ReadonlyMap<string, string>;
}

/** One measurement. It is repeated; each repetition returns the same rows. */
export interface Measurement {
  readonly name: string;
  readonly rounds: number;
  /** Whether the figures do not depend on the speed of the machine. */
  readonly isExact?: boolean;
  measure(scene: Scene): Promise<readonly Figure[]>;
}

/** Opens a page of its own for a measurement, and closes it afterwards. */
export async function onPage<T>({ context }: Scene, use: (page: Page, session: CDPSession) => Promise<T>): Promise<T> {
  const page = await context.newPage();
  try {
    return await use(page, await context.newCDPSession(page));
  } finally {
    await page.close();
  }
}

/** The address of the editor of a workflow. */
export function editorOf({ stage, slugs }: Scene, name: string): string {
  const slug = slugs.get(name);
  if (slug === undefined) throw new Error(`There is no workflow ${name}.`);
  return `${stage.service.url}/w/${slug}`;
}

/** Waits for the cards of the editor of a workflow. */
export async function openEditor(scene: Scene, page: Page, name: string): Promise<void> {
  await page.goto(editorOf(scene, name));
  await page.locator('.react-flow__node').first().waitFor();
}
