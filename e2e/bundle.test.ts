import { beforeAll, describe, expect, test } from 'vitest';
import { filesOf, gzippedKb, readManifest } from './harness/bundle.ts';
import { buildWebApp } from './harness/web-app.ts';

beforeAll(buildWebApp);

/** What a page may weigh, in kB with gzip. The design allows the first two 175: more means that an editor came along. */
const pages = [
  { page: 'the login page', modules: ['index.html'], js: 135, css: 30 },
  { page: 'the list of workflows', modules: ['index.html', 'src/pages/workflows-page.tsx'], js: 150, css: 30 },
  { page: 'the editor', modules: ['index.html', 'src/pages/editor-page.tsx'], js: 300, css: 30 },
];

describe('the web app', () => {
  test.each(pages)('loads at most $js kB of scripts and $css kB of styles for $page', ({ modules, js, css }) => {
    const files = filesOf(readManifest(), ...modules);
    expect(gzippedKb(files, '.js')).toBeLessThanOrEqual(js);
    expect(gzippedKb(files, '.css')).toBeLessThanOrEqual(css);
  });

  test('has no part that is loaded later with more than 180 kB of its own scripts', () => {
    const lazy = Object.values(readManifest()).filter(({ isDynamicEntry }) => isDynamicEntry === true);
    for (const { file } of lazy) expect([file, gzippedKb([file], '.js') <= 180]).toEqual([file, true]);
  });
});
