import { catalogue } from '@millrace/components';
import { nodeConfig, policies, readDsl } from '@millrace/core';
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

/** The section about the configuration. */
function sectionOf(type: string): string {
  const component = catalogue.get(type);
  if (component === undefined) throw new Error(`there is no component '${type}'`);
  const [, configuration = ''] = componentPage(component).split('\n## Configuration\n');
  const [section = ''] = configuration.split('\n## ', 1);
  return section;
}

/** The rows of the tables in that section. */
function keyRowsOf(type: string): readonly string[] {
  return sectionOf(type)
    .split('\n')
    .filter((line) => line.startsWith('| `'));
}

function keysOf(type: string): readonly string[] {
  return keyRowsOf(type).map((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? '');
}

/** Whether a key is one of the policies, which have their own page. */
function isPolicy(key: string, type: string): boolean {
  return Object.hasOwn(policies.shape, key) && catalogue.get(type)?.ownNames?.includes(key) !== true;
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

  it.each(types)('has a type, a default, an example and a meaning of every key of %s', (type) => {
    const rows = keyRowsOf(type);
    if (!sectionOf(type).includes('The component has no keys of its own.')) expect(rows).not.toEqual([]);
    for (const row of rows) {
      const [, kind, absent, example, meaning, ...rest] = row.split(' | ');
      expect(kind, row).toMatch(/\w/);
      expect(absent, row).toMatch(/^(?:`.+`|\*\*required\*\*|\w.*)$/);
      expect(example, row).toMatch(/^`.+`$/);
      expect(meaning, row).toMatch(/\w.*\. \|$/);
      expect([rest, row.includes('Default: ')], row).toEqual([[], false]);
    }
  });

  it.each(types)('lists every config key of every node in the example of %s', (type) => {
    const { parts } = readDsl(catalogue.get(type)?.example?.workflow ?? '', catalogue);
    const nodes = parts?.draft.nodes ?? [];
    expect(nodes.map(({ componentType }) => componentType)).toContain(type);
    for (const { nodeId, componentType, config, credentials } of nodes) {
      const { extra_config: own, ...common } = config;
      const keys = [...Object.keys(own).filter((key) => !isPolicy(key, componentType)), ...Object.keys(common)];
      expect(keysOf(componentType), nodeId).toEqual(expect.arrayContaining([...keys, ...credentials.keys()]));
    }
  });

  it('lists the common keys that a component reads, and no others', () => {
    const commonOf = (type: string) => keysOf(type).filter((key) => Object.hasOwn(nodeConfig.shape, key));
    const sampling = ['temperature', 'max_tokens', 'frequency_penalty', 'presence_penalty', 'top_p', 'response_format'];
    const step = ['timeout', 'max_retries'];
    expect(commonOf('agent')).toEqual(['system_prompt', ...sampling, ...step]);
    expect(commonOf('ai_model')).toEqual(['llm_credential_id', 'model_name', ...sampling, ...step]);
    expect(commonOf('http_request')).toEqual(['credential_id', ...step]);
    expect(commonOf('trigger_webhook')).toEqual(['timeout', 'credential_id', 'is_active', 'priority', ...step]);
    expect(commonOf('trigger_schedule')).toEqual(['is_active', ...step]);
    expect(commonOf('template')).toEqual(step);
    expect(commonOf('notes')).toEqual([]);
  });

  it('lists every key of each kind of pagination, with its own default and examples', () => {
    const rows = keyRowsOf('http_request').filter((row) => row.startsWith('| `pagination.'));
    const kinds = rows.join('\n').split(/^(?=\| `pagination\.by`)/m);
    const shown = kinds.map((kind) => kind.split('\n').filter((row) => row !== ''));
    const keys = shown.map((kind) => kind.map((row) => /`pagination\.(\w+)`/.exec(row)?.[1]));
    const sent = ['parameter', 'in'];
    const limits = ['items', 'max_pages'];
    expect(keys).toEqual([
      ['by', ...limits],
      ['by', 'next', ...limits],
      ['by', 'next', ...sent, ...limits],
      ['by', ...sent, 'first', 'page_size', ...limits],
      ['by', ...sent, 'first', 'page_size', ...limits],
    ]);
    const first = rows.filter((row) => row.includes('`pagination.first`'));
    expect(first.map((row) => row.split(' | ')[2])).toEqual(['`1`', '`0`']);
    const parameter = rows.filter((row) => row.includes('`pagination.parameter`'));
    expect(parameter.map((row) => row.split(' | ')[3])).toEqual(['`"cursor"`', '`"page"`', '`"offset"`']);
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
