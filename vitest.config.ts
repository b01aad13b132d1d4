import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './scripts/test-order.ts';

/**
 * The limit of one test and of one hook. It only ends what hangs: the slowest test takes a tenth of it on an ordinary
 * machine, and a machine with other work must not fail a test for its time.
 */
const limitMs = 300_000;

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts', 'e2e/*.test.ts'],
    // One more than the cores, because a worker often waits for the processes that its tests start.
    maxWorkers: availableParallelism() + 1,
    // Modules hold no state that a test could change, so the files of a worker share them. Loading them again for each
    // of 330 files takes longer than most of the tests.
    isolate: false,
    sequence: { sequencer: SlowFilesFirst },
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: limitMs } },
    // A snapshot that is missing is an error. `-u` writes it.
    update: 'none',
  },
});
