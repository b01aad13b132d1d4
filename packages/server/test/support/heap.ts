import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection that frees fewer bytes than this is the last one. */
const littleBytes = 10_000;
const mostCollections = 10;

/**
 * The bytes of this process's heap in use after garbage collection, which is repeated because some objects are only
 * freed after others. Excludes the database.
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
