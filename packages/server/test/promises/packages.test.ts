import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reached } from '../support/reached.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}
interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
}

const root = join(import.meta.dirname, '../../../..');
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;

/** The packages whose code runs in the service; the web app is built from others. */
const served = ['core', 'contract', 'components', 'server'];

test('the service has at most 25 direct dependencies, all pinned with a checksum, and installing runs no script', () => {
  const direct = new Map(
    served
      .flatMap((name) => Object.entries(read<Manifest>(`packages/${name}/package.json`).dependencies ?? {}))
      .filter(([name]) => !name.startsWith('@millrace/')),
  );
  expect(direct.size).toBeGreaterThan(10);
  expect(direct.size).toBeLessThanOrEqual(25);
  for (const version of direct.values()) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const { packages } = read<{ packages: Readonly<Record<string, Locked>> }>('package-lock.json');
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8')).toContain("'--ignore-scripts'");
  reached('P22', `${direct.size} direct dependencies, ${installed.length} packages with a checksum, no script`);
});
