import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { CancelTimer, Timers } from '../ground/clock.ts';

/** The memory of this process. */
export interface OwnProcess {
  /** The share of time since the last call in which the event loop was busy. */
  utilization(): number;
  /** The size of its heap, used or not. */
  heapBytes(): number;
  /** The part of the heap that was still in use after V8's last collection of all of it; 0 before the first. */
  liveBytes(): number;
  /** Collects garbage and returns free memory to the system. */
  collect(): Promise<void>;
}

/** A burst of requests has no gap this long. */
const everyMs = 5_000;
/** Below this the service is idle: its own checks of clocks and files need a tenth of it. */
const quietShare = 0.02;
/** A smaller gain is not worth the time. */
const worthBytes = 16 * 2 ** 20;
/** A collection stops everything, for about 50 ms with 40 MB in use, and for longer the more is in use. */
const mostLiveBytes = 128 * 2 ** 20;

/**
 * V8 keeps the memory of a start or a burst of requests until it collects its whole heap, and does so by itself only
 * when it needs more. This triggers a collection when the service has become idle. Returns a function that stops it.
 */
export function returnMemory(timers: Timers, own: OwnProcess = ownProcess()): () => void {
  let cancel: CancelTimer = () => undefined;
  let isEnded = false;
  let storedBytes = 0;
  const look = async (): Promise<void> => {
    const isQuiet = own.utilization() < quietShare;
    const bytes = own.heapBytes();
    if (!isQuiet || bytes < storedBytes + worthBytes || own.liveBytes() > mostLiveBytes) return;
    await own.collect();
    storedBytes = own.heapBytes();
  };
  const goOn = (): void => {
    if (isEnded) return;
    // A failed collection does no harm: the next round repeats it.
    cancel = timers.after(everyMs, () => void look().then(goOn, goOn));
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
    async collect() {
      if (!process.features.inspector) return;
      const { Session } = await import('node:inspector/promises');
      const session = new Session();
      session.connect();
      await session.post('HeapProfiler.collectGarbage');
      session.disconnect();
    },
  };
}

function isFullCollection(entry: object): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
