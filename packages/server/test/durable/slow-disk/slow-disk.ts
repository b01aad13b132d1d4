import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The environment of a process whose database is on a disk of this speed; null if there is no C compiler to make it. */
export function slowDisk(folder: string, bytesPerSecond: number): Record<string, string> | null {
  const library = join(folder, 'slow-disk.so');
  const source = join(import.meta.dirname, 'slow-disk.c');
  const { error, status, stderr } = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  if (error !== undefined) return null;
  if (status !== 0) throw new Error(stderr.toString());
  return { LD_PRELOAD: library, SLOW_DISK_BYTES_PER_SECOND: String(bytesPerSecond) };
}
