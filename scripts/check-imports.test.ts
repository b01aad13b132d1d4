import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PlantedTree } from './planted-tree.ts';

const crossings = [
  ['core imports the contract', 'core/src/a.ts', '@millrace/contract', 'core-imports-only-itself'],
  ['core imports a Node built-in', 'core/src/a.ts', 'node:fs', 'core-has-no-node'],
  ['core imports a library beside zod and js-yaml', 'core/src/a.ts', 'fastify', 'core-uses-only-zod-js-yaml'],
  ['a component imports another', 'components/src/a.ts', './b.ts', 'components-are-independent'],
  ['a component imports the contract', 'components/src/a.ts', '@millrace/contract', 'components-imports-only-core'],
  ['the contract imports the server', 'contract/src/a.ts', '@millrace/server', 'server-is-the-top-layer'],
  ['a package is entered by its path', 'server/src/a.ts', '../../core/src/index.ts', 'packages-from-outside-by-name'],
  ['a file imports its own index', 'core/src/a.ts', './index.ts', 'not-your-own-index'],
  ['a service knows the runner', 'server/src/services/a.ts', '../runner/b.ts', 'server-services-imports'],
  ['a service knows the SQL store', 'server/src/services/a.ts', '../store/sql/b.ts', 'store-sql-only-by-the-app'],
  ['a service knows the wire', 'server/src/services/a.ts', '@millrace/contract', 'server-services-imports-packages'],
  ['a route knows the store', 'server/src/http/a.ts', '../store/b.ts', 'server-http-imports'],
  ['a room knows the app', 'server/src/live/a.ts', '../b.ts', 'server-live-imports'],
  ['the clock knows a room', 'server/src/ground/a.ts', '../live/b.ts', 'server-ground-imports'],
  ['a driver is used outside store/sql', 'server/src/a.ts', 'better-sqlite3', 'sql-driver-only-in-store-sql'],
  ['there is a second way out', 'server/src/runner/a.ts', 'undici', 'outbound-connections-only-in-outbound'],
  [
    'a socket is opened past the way out',
    'server/src/runner/a.ts',
    'node:net',
    'outbound-connections-only-in-outbound',
  ],
  ['a process is started', 'server/src/runner/a.ts', 'node:child_process', 'no-processes-or-vm'],
  ['an inspector is connected', 'server/src/runner/a.ts', 'node:inspector/promises', 'no-inspector'],
  ['the product stands on a test', 'server/src/a.ts', './b.test.ts', 'no-tests-in-the-product'],
  ['core/graph imports core/engine', 'core/src/graph/a.ts', '../engine/b.ts', 'core-graph-imports'],
  [
    'services/access imports services/triggers',
    'server/src/services/access/a.ts',
    '../triggers/b.ts',
    'server-services-access-imports',
  ],
  [
    'store/sql/database imports store/sql/queue',
    'server/src/store/sql/database/a.ts',
    '../queue/b.ts',
    'server-store-sql-database-imports',
  ],
  ['an import leads nowhere', 'server/src/a.ts', './missing.ts', 'resolvable'],
] as const;

/** Crossing n is in a file named a<n>.ts, so that one run of the checker covers all. */
function numbered(file: string, index: number): string {
  return file.replace('/a.ts', `/a${index}.ts`);
}

describe('every rule', () => {
  let tree: PlantedTree;
  let result: { passed: boolean; output: string };
  beforeAll(() => {
    tree = new PlantedTree();
    for (const [index, [, file, target]] of crossings.entries()) {
      if (/\/b\.(test\.)?ts$/.test(target)) {
        tree.write(new URL(target, `file:///packages/${file}`).pathname.slice(1), 'export const present = 1;\n');
      }
      tree.write(`packages/${numbered(file, index)}`, `import * as p from '${target}';\nexport const used = p;\n`);
    }
    result = tree.check('check-imports.mjs');
  });
  afterAll(() => tree.remove());

  test.each(
    crossings.map((crossing, index) => [...crossing, index] as const),
  )('rejects: %s', (_name, file, _target, rule, index) => {
    expect(result.output).toContain(`${rule}: packages/${numbered(file, index)} -> `);
  });
  test('fails the check if it is violated', () => expect(result.passed).toBe(false));
});

describe('the checker', () => {
  let tree: PlantedTree;
  beforeEach(() => {
    tree = new PlantedTree();
  });
  afterEach(() => tree.remove());

  test('passes a tree that follows the rules', () => {
    tree.write(
      'packages/server/src/store/store.ts',
      "import type { present } from '@millrace/core';\nexport type P = typeof present;\n",
    );
    tree.write(
      'packages/server/src/services/keys.ts',
      "import type { P } from '../store/store.ts';\nexport type Q = P;\n",
    );
    expect(tree.check('check-imports.mjs')).toEqual({ passed: true, output: '6 modules follow the import rules\n' });
  });

  test('includes type imports, in rules and in cycles', () => {
    tree.write('packages/core/src/a.ts', "import type { B } from './b.ts';\nexport type A = { b: B };\n");
    tree.write('packages/core/src/b.ts', "import type { A } from './a.ts';\nexport type B = { a: A };\n");
    tree.write(
      'packages/core/src/c.ts',
      "import type { present } from '@millrace/server';\nexport type C = typeof present;\n",
    );
    const { output } = tree.check('check-imports.mjs');
    expect(output).toContain('no-cycles: packages/core/src/a.ts -> packages/core/src/b.ts -> packages/core/src/a.ts');
    expect(output).toContain('core-imports-only-itself: packages/core/src/c.ts -> packages/server/src/index.ts');
  });

  test('fails if it read fewer modules than the tree has', () => {
    tree.write(
      '.dependency-cruiser.cjs',
      "module.exports = { forbidden: [], options: { exclude: { path: 'packages/core' } } };\n",
    );
    const { passed, output } = tree.check('check-imports.mjs');
    expect(output).toContain('not-seen: packages/core/src/index.ts');
    expect(passed).toBe(false);
  });

  test('fails if it cannot run', () => {
    tree.write('tsconfig.json', '{ broken');
    expect(tree.check('check-imports.mjs')).toMatchObject({
      passed: false,
      output: expect.stringContaining('did not run'),
    });
  });
});
