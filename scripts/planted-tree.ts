import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const house = join(import.meta.dirname, '..');

/** A small tree with the structure of this repository in a temporary folder, to which tests add violations. */
export class PlantedTree {
  readonly root: string;

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'millrace-check-'));
    // Every file of configuration, by pattern: the checker stops when one that it requires is missing.
    for (const file of globSync(['tsconfig*.json', '*.cjs', '.*.cjs', 'scripts/*.cjs'], { cwd: house })) {
      cpSync(join(house, file), join(this.root, file));
    }
    mkdirSync(join(this.root, 'node_modules'));
    for (const library of ['zod', 'fastify', 'better-sqlite3', 'undici']) {
      symlinkSync(join(house, 'node_modules', library), join(this.root, 'node_modules', library));
    }
    mkdirSync(join(this.root, 'node_modules/@millrace'));
    for (const name of ['core', 'contract', 'components', 'server']) this.#addPackage(name);
  }

  #addPackage(name: string): void {
    const manifest = { name: `@millrace/${name}`, type: 'module', exports: { '.': './src/index.ts' } };
    this.write(`packages/${name}/package.json`, JSON.stringify(manifest));
    this.write(`packages/${name}/src/index.ts`, 'export const present = 1;\n');
    symlinkSync(join(this.root, 'packages', name), join(this.root, 'node_modules/@millrace', name));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), text);
  }

  delete(path: string): void {
    rmSync(join(this.root, path), { recursive: true });
  }

  /** Runs one of the repository's checks on this tree. */
  check(script: string): { passed: boolean; output: string } {
    const run = spawnSync(process.execPath, [join(import.meta.dirname, script), this.root], { encoding: 'utf8' });
    return { passed: run.status === 0, output: run.stdout + run.stderr };
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}
