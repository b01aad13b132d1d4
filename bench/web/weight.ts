import { basename } from 'node:path';
import { filesOf, gzippedKb, readManifest } from '../../e2e/harness/bundle.ts';
import type { Figure } from './figures.ts';
import { type Measurement, onPage, type Scene } from './scene.ts';

/** The pages of the budget, with the modules of the build that they need. */
const pages = [
  {
    row: 'scripts of /workflows',
    path: '/workflows',
    modules: ['index.html', 'src/pages/workflows-page.tsx'],
    js: 175,
  },
  { row: 'scripts of the editor', path: null, modules: ['index.html', 'src/pages/editor-page.tsx'], js: 300 },
] as const;

const cssLimit = 30;
/** How much the files that the browser loads may differ from those of the manifest. */
const maxDifference = 0.02;

/** The scripts and styles that a page loads, from the manifest of the build and from the browser. */
export const weight: Measurement = {
  name: 'weight',
  rounds: 1,
  isExact: true,
  measure: async (scene) => {
    const figures: Figure[] = [];
    for (const { row, path, modules, js } of pages) {
      const manifest = readManifest();
      const files = filesOf(manifest, ...modules.filter((name) => manifest[name] !== undefined));
      const loaded = await loadedBy(scene, path ?? `/w/${scene.slugs.get('g12')}`);
      const [expected, found] = [gzippedKb(files, '.js'), gzippedKb(loaded, '.js')];
      if (Math.abs(found - expected) > maxDifference * expected) {
        const names = loaded.filter((file) => !files.includes(file)).map((file) => basename(file));
        console.log(`${row}: the browser loads ${found.toFixed(1)} kB. Not in the manifest: ${names.join(', ')}`);
      }
      figures.push({ row, value: Math.max(expected, found), unit: 'kB gzip', limit: js });
      const css = Math.max(gzippedKb(files, '.css'), gzippedKb(loaded, '.css'));
      figures.push({ row: row.replace('scripts', 'styles'), value: css, unit: 'kB gzip', limit: cssLimit });
    }
    return figures;
  },
};

/** The files of the build that a page loads until the network is idle, without a cache. */
function loadedBy(scene: Scene, path: string): Promise<readonly string[]> {
  return onPage(scene, async (page, session) => {
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const files = new Set<string>();
    session.on('Network.responseReceived', ({ response, type }) => {
      const { pathname } = new URL(response.url);
      if ((type === 'Script' || type === 'Stylesheet') && pathname.startsWith('/assets/')) files.add(pathname.slice(1));
    });
    await page.goto(`${scene.stage.service.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    return [...files];
  });
}
