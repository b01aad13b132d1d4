/**
 * Checks that docs/dependencies.md has a reason for exactly the runtime dependencies, and that the lock file contains
 * no host.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { report } from './report.mjs';

const root = resolve(process.argv[2] ?? '.');
/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');

/** @type {Map<string, string>} name to version */
const declared = new Map();
for (const file of ['package.json', ...globSync('packages/*/package.json', { cwd: root })]) {
  /** @type {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} */
  const { dependencies, optionalDependencies } = JSON.parse(read(file));
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
    if (!name.startsWith('@millrace/')) declared.set(name, version);
  }
}

// A row of the table: | `name` | reason |
const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)];
const documented = new Map(rows.map(([, name = '', reason = '']) => [name, reason.trim()]));

/** @type {string[]} */
const problems = [];
for (const [name, version] of declared) {
  if (!documented.get(name)) problems.push(`docs/dependencies.md: no reason for the runtime dependency ${name}`);
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) problems.push(`${name}: pin an exact version instead of ${version}`);
}
for (const name of documented.keys()) {
  if (!declared.has(name)) problems.push(`docs/dependencies.md: ${name} is no longer a runtime dependency`);
}
const hosts = read('package-lock.json').match(/"resolved": "http/g) ?? [];
if (hosts.length > 0)
  problems.push(`package-lock.json: ${hosts.length} download addresses; reinstall with the .npmrc of this repository`);

report({ problems, seen: declared.size, fine: 'runtime dependencies have a reason' });
