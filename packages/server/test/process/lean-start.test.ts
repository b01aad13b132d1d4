import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceProcess } from '../durable/service-process.ts';

/** Packages that need megabytes, or tenths of a second, and that most services never or rarely use. */
const atFirstUse = ['undici', 'isolated-vm', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

let dataDir: string;
/** Files of third-party packages, each with its package. */
let loaded: readonly { readonly file: string; readonly name: string }[];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-lean-'));
  const list = join(dataDir, 'loaded-files');
  const service = await ServiceProcess.start(dataDir, {
    NODE_OPTIONS: `--import=${new URL('./loaded-files.mjs', import.meta.url).href}`,
    LOADED_FILES: list,
  });
  expect((await service.call('GET', '/health/')).status).toBe(200);
  expect(await service.stop()).toBe(0);
  loaded = readFileSync(list, 'utf8')
    .split('\n')
    .flatMap((file) => {
      const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
      return name === undefined ? [] : [{ file, name }];
    });
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('a ready service has not loaded packages that it may never need', () => {
  const names = new Set(loaded.map(({ name }) => name));
  expect(names).toContain('fastify');
  expect(atFirstUse.filter((name) => names.has(name))).toEqual([]);
});

// Without this test, the one above could not fail for a misspelled package.
test.each(atFirstUse)('%s is a package that can be loaded', (name) => {
  expect(createRequire(import.meta.url).resolve(`${name}/package.json`)).toContain(name);
});

// 546 when this was written; each needs about 20 kB of heap. The difference is room for updates.
test('a start loads at most 600 files of other packages', () => {
  expect(loaded.length).toBeLessThan(600);
});
