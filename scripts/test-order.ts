import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest test files, slowest first. They start before all others, so that no worker runs a long file alone at the
 * end. vitest orders the rest, by size on a fresh clone.
 */
export const slowFiles: readonly string[] = [
  'e2e/building.journeys.test.ts',
  'e2e/operating.journeys.test.ts',
  'packages/server/test/durable/kill.test.ts',
  'packages/server/test/sim/sim.test.ts',
  'packages/server/test/durable/stall-kills.test.ts',
  'packages/server/test/process/start.test.ts',
  'packages/server/test/process/backup.test.ts',
  'packages/server/test/process/storage.test.ts',
  'packages/server/test/sim/matrix.test.ts',
  'packages/server/test/slow/slow-clients.test.ts',
  'packages/server/test/promises/stop.test.ts',
  'packages/server/test/sandbox/hostile.test.ts',
  'packages/server/test/process/command-line.test.ts',
  'packages/server/test/durable/killed-waits.test.ts',
  'packages/server/src/store/sql/sqlite.test.ts',
  'packages/server/test/durable/chat.test.ts',
  'packages/server/test/durable/pauses.test.ts',
  'packages/server/test/agreement/service-agreement.test.ts',
  'packages/server/test/agreement/graph-agreement.test.ts',
  'packages/server/test/stalls/stalls.test.ts',
  'packages/server/test/api/matrix.test.ts',
  'packages/server/test/docs/examples.test.ts',
  'packages/server/test/api/credentials.masks.test.ts',
  'scripts/checks.test.ts',
  'packages/server/test/fuzz/fuzz.test.ts',
  'packages/server/test/process/rotate-key.test.ts',
  'packages/server/test/durable/conversations.test.ts',
  'packages/server/test/process/yaml-bombs.test.ts',
  'packages/server/test/process/run-limits.test.ts',
  'packages/server/test/process/code.test.ts',
  'packages/server/test/model/model.test.ts',
];

/** Sorts the files of a run: the slow ones first, the others in the order of vitest. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const root = this.ctx.config.root;
    const position = ({ moduleId }: TestSpecification) => {
      const found = slowFiles.indexOf(relative(root, moduleId));
      return found === -1 ? slowFiles.length : found;
    };
    return sorted.toSorted((one, other) => position(one) - position(other));
  }
}
