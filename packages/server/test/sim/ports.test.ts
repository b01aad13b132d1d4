import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const packages = new URL('../../../', import.meta.url).pathname;

/** The code that decides and performs; it receives everything external as arguments. */
const engine = ['core/src', 'components/src', 'server/src/runner'];

const sources = engine.flatMap((folder) =>
  globSync(join(packages, folder, '**/*.ts')).filter((file) => !/\.(test|testkit)\.ts$/.test(file)),
);

/** The clock, randomness, ids, timers and the network as the language and its platform provide them. */
const world = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bperformance\s*\.\s*now\b/,
  /\bMath\.random\b/,
  /\brandom(UUID|Bytes|Int)\b/,
  /\bset(Timeout|Interval|Immediate)\b/,
  /\bfetch\(/,
  /from 'node:(?!crypto')/,
  /from '(undici|ws|better-sqlite3)/,
];

test('the engine uses clock, randomness, timers and network only through its ports', () => {
  expect(sources.length).toBeGreaterThan(100);
  const uses = sources.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const code = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
    return code
      .filter((line) => world.some((words) => words.test(line)))
      .map((line) => `${file.slice(packages.length)}: ${line.trim()}`);
  });
  expect(uses).toEqual([]);
});
