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

const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|testkit|testsuite|bench)\.tsx?$/.test(file));

/** @returns {string[]} */
function crowdedFolders() {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > maxFiles && folder !== catalogue)
    .map(([folder, count]) => `${folder} has ${count} source files; group them into folders of at most ${maxFiles}`);
}

/** Folders of a mapped place that are not in the map. @returns {string[]} */
function unmappedFolders() {
  const places = {
    ...map.innerFolders,
    'packages/server/src': { ...map.serverFolders, ...map.serverWiring },
  };
  const unmapped = Object.entries(places).flatMap(([place, named]) => {
    const inside = files.filter((file) => file.startsWith(`${place}/`)).map((file) => file.slice(place.length + 1));
    const folders = inside.filter((file) => file.includes('/')).map((file) => file.slice(0, file.indexOf('/')));
    return [...new Set(folders)].filter((folder) => !(folder in named)).map((folder) => `${place}/${folder}`);
  });
  return unmapped.map((folder) => `${folder}/ is not in scripts/import-map.cjs: add its purpose and its imports`);
}

report({
  problems: [...crowdedFolders(), ...unmappedFolders()],
  seen: files.length,
  fine: 'source files are in folders of the map',
});
