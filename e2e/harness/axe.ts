import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from './web-app.ts';

const source = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly target: readonly string[];
    readonly failureSummary?: string;
  }[];
}

/** The levels of WCAG that the editor promises. */
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const everything = { runOnly: { type: 'tag', values: levels }, resultTypes: ['violations'] };
const onlyColours = { runOnly: { type: 'rule', values: ['color-contrast'] }, resultTypes: ['violations'] };

/**
 * The serious and critical findings of axe on the page as it is, in light and in dark. The second theme can change only
 * colours, so only the rule about them runs twice.
 */
export async function findingsOn(page: Page): Promise<readonly string[]> {
  const found = await findings(page, everything);
  const scheme = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  await page.emulateMedia({ colorScheme: scheme ? 'light' : 'dark' });
  const other = await findings(page, onlyColours);
  await page.emulateMedia({ colorScheme: scheme ? 'dark' : 'light' });
  return [...found, ...other];
}

/** Resolves when the page is drawn and nothing on it changes: a transition would be measured half way. */
const still = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null))))`;

async function findings(page: Page, options: object): Promise<readonly string[]> {
  // Through the debugger: the Content-Security-Policy forbids the page itself to evaluate a text.
  const session = await page.context().newCDPSession(page);
  try {
    const expression = `${source}; ${still}.then(() => axe.run(document, ${JSON.stringify(options)})).then(({ violations }) => violations)`;
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`axe failed: ${exceptionDetails.exception?.description}`);
    const violations = result.value as readonly Violation[];
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(textOf);
  } finally {
    await session.detach();
  }
}

function textOf({ id, help, nodes }: Violation): string {
  const places = nodes.slice(0, 5).map(({ html, failureSummary = '' }) => `    ${html}\n    ${failureSummary}`);
  return `axe ${id}: ${help} (${nodes.length} places)\n${places.join('\n')}`;
}
