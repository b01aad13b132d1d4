import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Below this size a compressed file saves less than a network packet. */
const worthCompressing = 1400;

/**
 * Writes each text file also compressed, so that the service compresses nothing at run time. It reads the files from
 * the disk, because Vite changes the chunks until they are written.
 */
function precompressed(): Plugin {
  return {
    name: 'precompressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const texts = Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(texts.map((name) => compress(join(dir, name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const source = await readFile(path);
  if (source.length < worthCompressing) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(source, quality));
  await writeFile(`${path}.gz`, await promisify(gzip)(source, { level: constants.Z_BEST_COMPRESSION }));
}

/** Where `npm run dev:web` finds the service. */
const service = 'http://127.0.0.1:7411';

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from the default export.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), precompressed()],
  build: {
    // Browsers of the last two years.
    target: 'baseline-widely-available',
    manifest: true,
    // Inlined data: URLs would need exceptions in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': service, '/ws': { target: service, ws: true }, '/docs': service } },
});
