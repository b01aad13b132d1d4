import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of all files in a folder. Files that disappear meanwhile do not count. */
export async function directorySize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => sizeOf(join(entry.parentPath, entry.name))),
  );
  return sizes.reduce((total, size) => total + size, 0);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
