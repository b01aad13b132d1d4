/** Checks that every source folder is in the map of the code and that no folder has too many files. */
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { report } from './report.mjs';

/** About as many names as a reader can survey at a glance. */
const maxFiles = 20;
/** The catalogue of components is a flat list by design: one file per node type. */
const catalogue = 'packages/components/src';

const root = resolve(process.argv[2] ?? '.');
/** @type {{ innerFolders: Record<string, Record<string, unknown>>, serverFolders: Record<string, unknown>, serverWiring: Record<string, unknown> }} */
const map = createRequire(import.meta.url)(join(import.meta.dirname, 'import-map.cjs'));

const files = globSync('packages/*/src/**/*.{ts,tsx,mjs}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|testkit|testsuite|bench)\.(tsx?|mjs)$/.test(file));

/** @returns {string[]} */
function crowdedFolders() {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > maxFiles && folder !== catalogue)
    .map(([folder, count]) => `${folder} has ${count} source files; group them into folders of at most ${maxFiles}`);
}

/** Folders at any depth that are not in the map. @returns {string[]} */
function unmappedFolders() {
  const places = {
    ...map.innerFolders,
    'packages/server/src': { ...map.serverFolders, ...map.serverWiring },
  };
  const mapped = new Set(
    Object.entries(places).flatMap(([place, named]) => Object.keys(named).map((name) => `${place}/${name}`)),
  );
  const folders = new Set(files.flatMap((file) => foldersAround(dirname(file))));
  return [...folders]
    .filter((folder) => !mapped.has(folder))
    .map((folder) => `${folder}/ is not in scripts/import-map.cjs: add its purpose and its imports`);
}

/** The folder and its parents, up to the source folder of the package. @returns {string[]} */
function foldersAround(/** @type {string} */ folder) {
  return /^packages\/[^/]+\/src$/.test(folder) ? [] : [...foldersAround(dirname(folder)), folder];
}

report({
  problems: [...crowdedFolders(), ...unmappedFolders()],
  seen: files.length,
  fine: 'source files are in folders of the map',
});
