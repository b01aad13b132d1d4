import { catalogue } from '@millrace/components';
import { describe, expect, it } from 'vitest';
import { componentIndex, componentPage } from '../../src/http/reference/component-pages.ts';
import { startTestApp } from '../support/app.ts';

/** No key: the pages are public. */
const open = { authorization: '' };

const types = [...catalogue.keys()];

async function pageAt(url: string) {
  const api = await startTestApp({ catalogue });
  return api.inject({ url, headers: open });
}

/** The letters and digits that a reader sees on an HTML page. */
function seenIn(html: string): string {
  const text = html.slice(html.indexOf('<main>')).replace(/<[^>]*>/g, ' ');
  return lettersOf(text.replace(/&(?:amp|lt|gt|quot|#39);/g, ' '));
}

/**
 * The letters and digits of a Markdown page, without the targets of links to served pages and the languages of code. For
 * other links the reader sees the file in the repository.
 */
function writtenIn(markdown: string): string {
  const withFiles = markdown.replace(/\]\(\.\.\/([^)]*\.md)\)/g, ' docs/$1 ');
  return lettersOf(withFiles.replace(/\]\([^)]*\.md\)/g, ' ').replace(/^```\w*$/gm, ' '));
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

describe('GET /docs/components/{type}', () => {
  it.each(types)('shows the page of %s, with its title and without scripts', async (type) => {
    const component = catalogue.get(type);
    if (component === undefined) throw new Error('unreachable');
    const page = await pageAt(`/docs/components/${type}`);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; (?!.*script-src)/);
    expect(page.text).toContain(`<title>${component.label.replace('&', '&amp;')} · Millrace</title>`);
    expect(page.text).not.toMatch(/<script|\son\w+=/i);
    expect(seenIn(page.text)).toBe(writtenIn(componentPage(component)));
  });

  it.each(types)('has an example of every key of %s, including those of inner objects', (type) => {
    const component = catalogue.get(type);
    const [, configuration = ''] =
      component === undefined ? [] : componentPage(component).split('\n## Configuration\n');
    const [own = ''] = configuration.split('\n## ', 1);
    const rows = own.split('\n').filter((line) => line.startsWith('| `'));
    if (!own.includes('The component has no keys of its own.')) expect(rows).not.toEqual([]);
    for (const row of rows) expect(row.split(' | ')[3], row).toMatch(/^`.+`$/);
  });

  it('shows no Markdown syntax outside of code', async () => {
    const api = await startTestApp({ catalogue });
    for (const type of types) {
      const { text } = await api.inject({ url: `/docs/components/${type}`, headers: open });
      const prose = text.replace(/<code>[^<]*<\/code>/g, '');
      expect(prose, type).not.toMatch(/`|\*\*|\]\(|^#|^- |\| ---/m);
    }
  });

  it('answers 404 for a type that does not exist', async () => {
    for (const type of ['nothing', 'constructor', '__proto__']) {
      expect((await pageAt(`/docs/components/${type}`)).status).toBe(404);
    }
  });
});

describe('GET /docs/components/', () => {
  it('lists every component, with links that work', async () => {
    const api = await startTestApp({ catalogue });
    const page = await api.inject({ url: '/docs/components/', headers: open });
    expect(page.status).toBe(200);
    expect(seenIn(page.text)).toBe(writtenIn(componentIndex(catalogue)));
    const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '');
    expect(links).toEqual(expect.arrayContaining(types.map((type) => `/docs/components/${type}`)));
    for (const url of links) expect([url, (await api.inject({ url, headers: open })).status]).toEqual([url, 200]);
  });
});
