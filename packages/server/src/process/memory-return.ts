import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CancelTimer, Timers } from '../ground/clock.ts';

/** The memory of this process. */
export interface OwnProcess {
  /** The share of time since the last call in which the event loop was busy. */
  utilization(): number;
  /** The size of its heap, used or not. */
  heapBytes(): number;
  /** The part of the heap that was still in use after V8's last collection of all of it; 0 before the first. */
  liveBytes(): number;
  /** Collects garbage. V8 returns the free memory to the system some ten seconds later. */
  collect(): void;
}

/** A burst of requests has no gap this long. */
const everyMs = 3_000;
/** Below this the service is idle: its own checks of clocks and files need a tenth of it. */
const quietShare = 0.02;
/** A smaller gain is not worth the time. */
const worthBytes = 16 * 2 ** 20;
/**
 * A collection stops everything for about 25 ms with 50 MB in use, and so for 200 ms with this. V8 knows how much was in
 * use at its last collection, and during a burst of requests that includes garbage of some 100 MB.
 */
const mostLiveBytes = 384 * 2 ** 20;

/**
 * V8 keeps the memory of a start or a burst of requests until it collects its whole heap, and does so by itself only
 * when it needs more. This triggers a collection when the service has become idle. Returns a function that stops it.
 */
export function returnMemory(timers: Timers, own: OwnProcess = ownProcess()): () => void {
  let cancel: CancelTimer = () => undefined;
  let isEnded = false;
  let storedBytes = 0;
  const look = (): void => {
    const isQuiet = own.utilization() < quietShare;
    const bytes = own.heapBytes();
    storedBytes = Math.min(storedBytes, bytes);
    if (!isQuiet || bytes < storedBytes + worthBytes || own.liveBytes() > mostLiveBytes) return;
    own.collect();
    storedBytes = own.heapBytes();
  };
  const goOn = (): void => {
    if (isEnded) return;
    cancel = timers.after(everyMs, () => {
      look();
      goOn();
    });
  };
  goOn();
  return () => {
    isEnded = true;
    cancel();
  };
}

/** The current process. */
export function ownProcess(): OwnProcess {
  let seen = performance.eventLoopUtilization();
  let live = 0;
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) live = process.memoryUsage().heapUsed;
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    utilization() {
      const before = seen;
      seen = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(seen, before).utilization;
    },
    heapBytes: () => process.memoryUsage().heapTotal,
    liveBytes: () => live,
    collect() {
      // The function is available only with this flag. The debugger has one too, which takes five times as long.
      setFlagsFromString('--expose-gc');
      const collectGarbage = runInNewContext('gc') as (options: object) => void;
      setFlagsFromString('--no-expose-gc');
      collectGarbage({ type: 'major', execution: 'sync' });
    },
  };
}

function isFullCollection(entry: object): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
