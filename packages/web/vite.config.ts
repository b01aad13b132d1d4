import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Below this size a compressed file saves less than a network packet. */
const worthCompressing = 1400;

/** Writes each text file also compressed, so that the service compresses nothing at run time. */
function precompressed(): Plugin {
  return {
    name: 'precompressed',
    apply: 'build',
    async generateBundle(_options, bundle) {
      const texts = Object.values(bundle).flatMap((file) => {
        const source = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        return /\.(js|css|html|svg)$/.test(file.fileName) && source.length >= worthCompressing
          ? [{ fileName: file.fileName, source }]
          : [];
      });
      await Promise.all(
        texts.map(async ({ fileName, source }) => {
          const br = await promisify(brotliCompress)(source, {
            params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
          });
          const gz = await promisify(gzip)(source, { level: constants.Z_BEST_COMPRESSION });
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: br });
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gz });
        }),
      );
    },
  };
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
