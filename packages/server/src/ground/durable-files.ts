import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Brings the content of a file to disk, or the names in a folder: a new, renamed or deleted file is one of them. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
