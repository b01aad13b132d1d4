import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { root } from './web-app.ts';

const dist = join(root, 'packages/web/dist');

/** A module of the build, as the manifest of Vite describes it. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

type Manifest = Readonly<Record<string, Chunk>>;

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
}

/** The scripts and styles that a page loads before it shows something: its modules with their static imports. */
export function filesOf(manifest: Manifest, ...modules: readonly string[]): readonly string[] {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`The build has no module ${name}.`);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const name of modules) visit(name);
  return [...files];
}

/** The size in kB (1,024 bytes) that such files of the build have with gzip. */
export function gzippedKb(files: readonly string[], extension: '.js' | '.css'): number {
  const sizes = files.filter((file) => file.endsWith(extension)).map(gzippedBytes);
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

function gzippedBytes(file: string): number {
  return gzipSync(readFileSync(join(dist, file)), { level: constants.Z_BEST_COMPRESSION }).length;
}
