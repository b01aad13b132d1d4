import type { CancelTimer, Timers } from '../ground/clock.ts';

/** This process, as far as its memory is concerned. */
export interface OwnProcess {
  /** The share of the time since it was last asked in which the event loop had something to do. */
  utilization(): number;
  /** What its heap holds, in use or not. */
  heapBytes(): number;
  /** Frees what is no longer used, and gives the room back to the system. */
  collect(): Promise<void>;
}

/** A rush of requests has no gap as long as this. */
const everyMs = 10_000;
/** Below this the service has next to nothing to do: its own looks at clocks and files need a tenth of that. */
const quietShare = 0.02;
/** A smaller gain is not worth the time. */
const worthBytes = 16 * 2 ** 20;
/** A collection stops everything, for some 50 ms with 40 MB in use: of a larger heap than this it might be a second. */
const mostBytes = 192 * 2 ** 20;

/**
 * V8 keeps the room that a start or a rush of requests took until it collects its whole heap, and by itself it does that
 * only when it needs more. So it is asked to when the service has become quiet. Returns what ends that.
 */
export function returnMemory(timers: Timers, own: OwnProcess = ownProcess()): () => void {
  let cancel: CancelTimer = () => undefined;
  let isEnded = false;
  let keptBytes = 0;
  const look = async (): Promise<void> => {
    const isQuiet = own.utilization() < quietShare;
    const bytes = own.heapBytes();
    if (!isQuiet || bytes < keptBytes + worthBytes || bytes > mostBytes) return;
    await own.collect();
    keptBytes = own.heapBytes();
  };
  const goOn = (): void => {
    if (isEnded) return;
    // What could not be collected is no loss: it is tried again.
    cancel = timers.after(everyMs, () => void look().then(goOn, goOn));
  };
  goOn();
  return () => {
    isEnded = true;
    cancel();
  };
}

/** The process that runs this. */
export function ownProcess(): OwnProcess {
  let seen = performance.eventLoopUtilization();
  return {
    utilization() {
      const before = seen;
      seen = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(seen, before).utilization;
    },
    heapBytes: () => process.memoryUsage().heapTotal,
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
