import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PlantedTree } from './planted-tree.ts';

let tree: PlantedTree;
beforeEach(() => {
  tree = new PlantedTree();
});
afterEach(() => tree.remove());

describe('globals with side effects are used only at the edges', () => {
  test.each([
    ['settings', 'core/src/a.ts', 'process.env.HOME', 'process.env'],
    ['settings, by brackets', 'core/src/a.ts', "process['env']", 'process.env'],
    ['settings, taken apart', 'core/src/a.ts', '0;\nconst { env } = process', 'process.env'],
    ['the exit', 'server/src/app.ts', 'process.exit(1)', 'process.exit'],
    ['the time', 'server/src/runner/a.ts', 'Date.now()', 'Date.now'],
    ['the time, as a date', 'core/src/a.ts', 'new Date()', 'new Date()'],
    ['randomness', 'components/src/a.ts', 'Math.random()', 'Math.random'],
    ['the network', 'server/src/services/a.ts', "fetch('http://localhost')", 'fetch'],
    ['the network, by its full name', 'server/src/services/a.ts', "globalThis.fetch('x')", 'fetch'],
    ['the storage of the browser', 'web/src/start/a.ts', "localStorage.getItem('x')", 'localStorage'],
    ['the storage of the browser, passed on', 'web/src/start/a.ts', 'keep(window.sessionStorage)', 'sessionStorage'],
    ['the database of the browser', 'web/src/start/a.ts', "indexedDB.open('x')", 'indexedDB'],
    ['opening a secret', 'server/src/services/a.ts', "createDecipheriv('aes-256-gcm', k, iv)", 'createDecipheriv'],
  ])('%s elsewhere is an error', (_what, file, expression, name) => {
    tree.write(`packages/${file}`, `export const planted = ${expression};\n`);
    const { passed, output } = tree.check('check-globals.mjs');
    expect(output).toMatch(new RegExp(`^packages/${file}:\\d uses `, 'm'));
    expect(output).toContain(` uses ${name}: `);
    expect(passed).toBe(false);
  });

  test('the edges, the tests, a given date and words in comments are allowed', () => {
    tree.write('packages/server/src/ground/config.ts', 'export const env = process.env;\n');
    tree.write('packages/server/src/ground/clock.ts', 'export const now = () => Date.now();\n');
    tree.write('packages/core/src/a.test.ts', 'export const now = Date.now();\n');
    tree.write(
      'packages/core/src/a.ts',
      '/** Never Date.now(). */\nexport const text = "Date.now()";\nnew Date(0);\nctx.fetch();\n',
    );
    expect(tree.check('check-globals.mjs').output).toBe('7 files use globals with side effects only at the edges\n');
  });
});

describe('names are meaningful, terms are current, and no checks are silenced', () => {
  test.each([
    'core/src/utils.ts',
    'core/src/utils/text.ts',
    'server/src/string-utils.ts',
    'server/test/helpers/a.ts',
  ])('a meaningless name is an error: %s', (file) => {
    tree.write(`packages/${file}`, 'export const a = 1;\n');
    const { passed, output } = tree.check('check-names.mjs');
    expect(output).toContain(`packages/${file}: '`);
    expect(passed).toBe(false);
  });

  test.each([
    '// @ts-ignore',
    '// TODO: later',
    "test.only('a', () => {});",
    '/* biome-ignore-all lint: no */',
  ])('a postponed or silenced check is an error: %s', (line) => {
    tree.write('packages/core/src/a.test.ts', `\n${line}\n`);
    const { passed, output } = tree.check('check-names.mjs');
    expect(output).toContain('packages/core/src/a.test.ts:2 has ');
    expect(passed).toBe(false);
  });

  test.each([
    ['const deed = 1;', 'deed', 'action or use case'],
    ['function openTheatre() {}', 'Theatre', 'test runner'],
    ['function tellAll() {}', 'tell', 'publish, notify or return'],
    ['const inFlight = 1;', 'Flight', 'attempt'],
    ['const isRefused = true;', 'Refused', 'reject, error or issue'],
    ['const gate = 1;', 'gate', 'concurrency slot'],
    ['// The guest gets a 404.', 'guest', 'public viewer'],
  ])('a retired term is an error that names its replacement: %s', (line, term, instead) => {
    tree.write('packages/core/src/a.ts', `${line}\n`);
    const { passed, output } = tree.check('check-names.mjs');
    expect(output).toContain(`packages/core/src/a.ts:1 has '${term}': write ${instead}`);
    expect(passed).toBe(false);
  });

  test('a retired term in a document is an error', () => {
    tree.write('packages/core/src/a.ts', 'export const a = 1;\n');
    tree.write('docs/a.md', 'This page says what becomes of a run.\n');
    expect(tree.check('check-names.mjs').output).toContain("docs/a.md:1 has 'becomes of'");
  });

  test('a term that the interface fixes is allowed', () => {
    tree.write('packages/core/src/a.ts', "export const model_refused = 'refusal';\n");
    expect(tree.check('check-names.mjs').passed).toBe(true);
  });

  test('a tree of good names passes', () => {
    tree.write('packages/core/src/utilisation.ts', 'export const todos = 1;\n');
    expect(tree.check('check-names.mjs').passed).toBe(true);
  });
});

describe('every runtime dependency has a reason', () => {
  beforeEach(() => {
    tree.write('package.json', '{}');
    tree.write('package-lock.json', '{}');
    tree.write('packages/core/package.json', '{"dependencies": {"zod": "4.6.7", "@millrace/contract": "0.1.0"}}');
    tree.write('docs/dependencies.md', '| package | reason |\n|---|---|\n| `zod` | Schemas. |\n');
  });

  test('a list that agrees with the manifests passes', () => {
    expect(tree.check('check-dependencies.mjs')).toEqual({
      passed: true,
      output: '1 runtime dependencies have a reason\n',
    });
  });

  test.each([
    ['a dependency without a row', 'docs/dependencies.md', '', 'no reason for the runtime dependency zod'],
    ['a row without a reason', 'docs/dependencies.md', '| `zod` |  |\n', 'no reason for the runtime dependency zod'],
    [
      'a row without a dependency',
      'docs/dependencies.md',
      '| `zod` | a |\n| `ws` | b |\n',
      'ws is no longer a runtime dependency',
    ],
    [
      'a range of versions',
      'packages/core/package.json',
      '{"dependencies": {"zod": "^4.6.7"}}',
      'pin an exact version',
    ],
    [
      'an address in the lock file',
      'package-lock.json',
      '{"resolved": "https://localhost/zod.tgz"}',
      '1 download addresses',
    ],
  ])('%s is an error', (_what, file, text, message) => {
    tree.write(file, text);
    const { passed, output } = tree.check('check-dependencies.mjs');
    expect(output).toContain(message);
    expect(passed).toBe(false);
  });
});

test.each([
  'check-imports.mjs',
  'check-globals.mjs',
  'check-names.mjs',
])('%s fails on a tree without sources', (script) => {
  for (const name of ['core', 'contract', 'components', 'server']) tree.delete(`packages/${name}/src`);
  tree.delete('scripts');
  expect(tree.check(script)).toMatchObject({ passed: false, output: expect.stringContaining('nothing was checked') });
});

describe('every folder is in the map and small enough to survey', () => {
  test('a folder of more than 20 source files is an error', () => {
    for (let index = 0; index < 21; index++) {
      tree.write(`packages/server/src/live/a${index}.ts`, 'export const a = 1;\n');
    }
    const { passed, output } = tree.check('check-folders.mjs');
    expect(output).toContain('packages/server/src/live has 21 source files');
    expect(passed).toBe(false);
  });

  test.each([
    'core/src/unknown',
    'server/src/unknown',
    'server/src/services/unknown',
    'server/src/services/access/unknown',
    'core/src/engine/fold/unknown',
  ])('a folder that the map does not name is an error: %s', (folder) => {
    tree.write(`packages/${folder}/a.ts`, 'export const a = 1;\n');
    const { passed, output } = tree.check('check-folders.mjs');
    expect(output).toContain(`packages/${folder}/ is not in scripts/import-map.cjs`);
    expect(passed).toBe(false);
  });
});
