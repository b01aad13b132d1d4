import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: { include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'] },
});
