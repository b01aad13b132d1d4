import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    // Nothing here takes long by itself; half a minute is for a machine that does much else.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'],
  },
});
