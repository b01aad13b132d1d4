import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection that frees less than so many bytes is the last one. */
const littleBytes = 10_000;
const mostCollections = 10;

/**
 * Bytes of this process's heap in use, after what is no longer needed has gone: some of it only goes after other things
 * have. The database is not in it.
 */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let used = Number.POSITIVE_INFINITY;
  for (let collections = 0; collections < mostCollections; collections += 1) {
    collect();
    const { heapUsed } = process.memoryUsage();
    if (used - heapUsed < littleBytes) return heapUsed;
    used = heapUsed;
  }
  return used;
}
